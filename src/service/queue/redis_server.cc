#include "service/queue/redis_server.h"

#include <arpa/inet.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdlib>
#include <utility>

#include "base/fd.h"
#include "base/text.h"

namespace kgym::service {
namespace {

Result<int> FreePort() {
  const Fd fd(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  if (bind(fd.get(), reinterpret_cast<sockaddr*>(&address), size) != 0 ||
      getsockname(fd.get(), reinterpret_cast<sockaddr*>(&address), &size) != 0) {
    return SystemError("a free port");
  }
  return ntohs(address.sin_port);
}

std::string Find(const std::string& program) {
  const char* path = std::getenv("PATH");
  for (const std::string& folder : Split(path == nullptr ? "" : path, ':')) {
    const std::string file = folder + "/" + program;
    if (access(file.c_str(), X_OK) == 0) return file;
  }
  return {};
}

// Reads its log until it says that it serves; an Error has the log where it ended before.
Status WaitUntilReady(int log) {
  std::string text;
  char bytes[512];
  while (text.find("Ready to accept connections") == std::string::npos) {
    const ssize_t size = read(log, bytes, sizeof bytes);
    if (size <= 0) return Error{Concat("redis-server did not start: ", text)};
    text.append(bytes, static_cast<std::size_t>(size));
  }
  return Ok();
}

}  // namespace

Result<std::unique_ptr<RedisServer>> RedisServer::Start(std::vector<std::string> settings) {
  if (Find("redis-server").empty()) return Error{"this machine has no redis-server"};
  KGYM_TRY(TempDir folder, TempDir::Create("kgym-redis-"));
  KGYM_TRY(const int port, FreePort());
  std::unique_ptr<RedisServer> server(new RedisServer(std::move(folder), port, std::move(settings)));
  KGYM_TRY_VOID(server->Begin());
  return server;
}

RedisServer::~RedisServer() { Kill(); }

RedisAddress RedisServer::address() const { return {.port = port_}; }

void RedisServer::Kill() {
  if (pid_ < 0) return;
  kill(pid_, SIGKILL);
  waitpid(pid_, nullptr, 0);
  pid_ = -1;
}

Status RedisServer::Begin() {
  std::vector<std::string> words = {Find("redis-server"),
                                    "--port",
                                    std::to_string(port_),
                                    "--bind",
                                    "127.0.0.1",
                                    "--dir",
                                    folder_.path().string(),
                                    "--save",
                                    "",
                                    "--appendonly",
                                    "yes",
                                    "--appendfsync",
                                    "always"};
  words.insert(words.end(), settings_.begin(), settings_.end());  // The later of two words counts.
  std::vector<char*> arguments;
  for (std::string& word : words) arguments.push_back(word.data());
  arguments.push_back(nullptr);

  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return SystemError("pipe");
  const Fd log(ends[0]);
  Fd child_end(ends[1]);
  pid_ = fork();
  if (pid_ == 0) {
    prctl(PR_SET_PDEATHSIG, SIGKILL);  // Ends with the test, however that ends.
    dup2(child_end.get(), STDOUT_FILENO);
    execv(arguments[0], arguments.data());
    _exit(127);
  }
  child_end.reset();
  return WaitUntilReady(log.get());
}

Result<RedisAnswer> RedisServer::Ask(const RedisCommand& command) {
  RedisConnection connection(address());
  KGYM_TRY_VOID(connection.Open(10s));
  return connection.Ask(command);
}

}  // namespace kgym::service
