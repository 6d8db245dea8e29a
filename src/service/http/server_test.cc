// The server over real sockets on loopback: what is well formed, and what is not.
#include "service/http/server.h"

#include <arpa/inet.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <boost/asio/post.hpp>
#include <thread>

#include "base/fd.h"
#include "base/text.h"
#include "service/http/signal.h"

namespace kgym::http {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

/// Answers with what it was asked; "/wait" when the client or the server goes, "/stream" in pieces.
class Echo final : public Application {
 public:
  explicit Echo(Executor executor) : executor_(std::move(executor)) {}

  std::optional<Response> Admit(Request& request) override {
    request.body_limit = 1000;
    if (request.target == "/refused") return ToResponse({403, "no", "no"}, request.target);
    return std::nullopt;
  }

  Awaitable<Response> Respond(Request& request) override {
    if (request.target == "/wait") co_return co_await Wait(request);
    Response response;
    response.body = Concat(request.method, " ", request.target, " ", request.body);
    if (request.target == "/stream") response.stream = [](Stream& stream) { return Pieces(stream); };
    co_return response;
  }

 private:
  Awaitable<Response> Wait(Request& request) {
    Signal signal(executor_);
    request.hangup->Notify([&signal] { signal.Raise(); });
    co_await signal.WaitUntil(Instant::max());
    Response response;
    response.body = "nobody waits";
    co_return response;
  }
  static Awaitable<void> Pieces(Stream& stream) {
    co_await stream.Send("one ");
    co_await stream.Send("two");
  }

  Executor executor_;
};

class Client {
 public:
  explicit Client(std::uint16_t port) : fd_(::socket(AF_INET, SOCK_STREAM, 0)) {
    sockaddr_in address{};
    address.sin_family = AF_INET;
    address.sin_port = htons(port);
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    EXPECT_EQ(::connect(fd_.get(), reinterpret_cast<sockaddr*>(&address), sizeof address), 0);
    const timeval limit{20, 0};
    ::setsockopt(fd_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit);
  }

  Client& Send(std::string_view text) {
    EXPECT_EQ(::send(fd_.get(), text.data(), text.size(), MSG_NOSIGNAL), static_cast<ssize_t>(text.size()));
    return *this;
  }
  void HalfClose() { ::shutdown(fd_.get(), SHUT_WR); }
  void Close() { fd_.reset(); }

  /// Until `end` was read, or the server closed.
  std::string ReadTo(std::string_view end) {
    std::string text;
    char byte = 0;
    while (!text.ends_with(end) && ::recv(fd_.get(), &byte, 1, 0) == 1) text += byte;
    return text;
  }
  std::string ReadAll() {
    std::string text;
    char bytes[4096];
    for (ssize_t size = 0; (size = ::recv(fd_.get(), bytes, sizeof bytes, 0)) > 0;) text.append(bytes, size);
    return text;
  }

 private:
  Fd fd_;
};

class ServerTest : public testing::Test {
 protected:
  void Start(Limits limits = {}) {
    limits.linger = 200ms;
    server_ = Server::Listen(io_.get_executor(), "127.0.0.1", 0, limits, echo_).value();
    thread_ = std::thread([this] { io_.run(); });
  }
  void Stop() {
    const auto stop = [this]() -> Awaitable<void> { co_await server_->Stop(5s); };
    boost::asio::post(io_, [this, stop] { Spawn(io_.get_executor(), stop()); });
    thread_.join();
  }
  void TearDown() override {
    if (thread_.joinable()) Stop();
  }
  Client Connect() { return Client(server_->port()); }

  boost::asio::io_context io_{1};
  Echo echo_{io_.get_executor()};
  std::unique_ptr<Server> server_;
  std::thread thread_;
};

TEST_F(ServerTest, AnswersAndStaysOpen) {
  Start();
  Client client = Connect();
  for (int i = 0; i < 3; ++i) {
    client.Send(Concat("GET /", i, " HTTP/1.1\r\nHost: x\r\n\r\n"));
    const std::string head = client.ReadTo("\r\n\r\n");
    EXPECT_THAT(head, StartsWith("HTTP/1.1 200 OK\r\nDate: "));
    EXPECT_EQ(client.ReadTo(Concat("/", i, " ")), Concat("GET /", i, " "));
  }
}

TEST_F(ServerTest, Pipelines) {
  Start();
  Client client = Connect();
  client.Send(
      "GET /a HTTP/1.1\r\nHost: x\r\n\r\nPOST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\n\r\nabcGET /c HTTP/1.1\r\n"
      "Host: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_LT(all.find("GET /a "), all.find("POST /b abc"));
  EXPECT_LT(all.find("POST /b abc"), all.find("GET /c "));
  EXPECT_THAT(all, HasSubstr("Connection: close"));
}

TEST_F(ServerTest, ReadsChunks) {
  Start();
  Client client = Connect();
  client.Send("POST /c HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n");
  EXPECT_THAT(client.ReadTo("abcde"), HasSubstr("200 OK"));
}

TEST_F(ServerTest, HeadHasNoBody) {
  Start();
  Client client = Connect();
  client.Send("HEAD /a HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_THAT(all, HasSubstr("Content-Length: 8\r\n"));
  EXPECT_TRUE(all.ends_with("\r\n\r\n"));
}

TEST_F(ServerTest, StreamsInChunksOrToTheEnd) {
  Start();
  Client client = Connect();
  client.Send("GET /stream HTTP/1.1\r\nHost: x\r\n\r\nGET /next HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n");
  const std::string all = client.ReadAll();
  EXPECT_THAT(all, HasSubstr("4\r\none \r\n3\r\ntwo\r\n0\r\n\r\nHTTP/1.1 200"));
  Client old = Connect();
  old.Send("GET /stream HTTP/1.0\r\n\r\n");
  EXPECT_TRUE(old.ReadAll().ends_with("\r\n\r\none two"));
}

TEST_F(ServerTest, AsksForAnExpectedBody) {
  Start();
  Client client = Connect();
  client.Send("POST /e HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_EQ(client.ReadTo("\r\n\r\n"), "HTTP/1.1 100 Continue\r\n\r\n");
  client.Send("ok");
  EXPECT_THAT(client.ReadTo("/e ok"), HasSubstr("200 OK"));
  Client refused = Connect();
  refused.Send("POST /refused HTTP/1.1\r\nHost: x\r\nContent-Length: 2\r\nExpect: 100-continue\r\n\r\n");
  EXPECT_THAT(refused.ReadTo("\r\n\r\n"), StartsWith("HTTP/1.1 403"));
}

struct Malformed {
  const char* text;
  const char* status;
};

TEST_F(ServerTest, RefusesWhatIsMalformed) {
  Start();
  const std::string large = Concat("GET /", std::string(20'000, 'a'), " HTTP/1.1\r\nHost: x\r\n\r\n");
  for (const auto& [text, status] : std::initializer_list<Malformed>{
           {"\x16\x03\x01\x02\r\n\r\n", "400"},
           {"GET\r\n\r\n", "400"},
           {"GET / HTTP/3.0\r\nHost: x\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\nHo st: x\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\n\r\n", "400"},
           {"GET / HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: -1\r\n\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nContent-Length: 4\r\n\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 3\r\nTransfer-Encoding: chunked\r\n\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n", "400"},
           {"POST / HTTP/1.1\r\nHost: x\r\nContent-Length: 1001\r\n\r\n", "413"},
           {"POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nfff\r\n", "413"},
           {"POST / HTTP/1.1\r\nHost: x\r\nExpect: tea\r\n\r\n", "417"},
           {large.c_str(), "431"},
       }) {
    Client client = Connect();
    client.Send(text);
    client.HalfClose();
    const std::string answer = client.ReadAll();
    EXPECT_THAT(answer, StartsWith(Concat("HTTP/1.1 ", status))) << text;
    EXPECT_THAT(answer, HasSubstr("application/problem+json")) << text;
  }
  Stop();
  EXPECT_GT(server_->stats().malformed, 5);
}

TEST_F(ServerTest, ARefusedBodyIsReadOnSoThatTheAnswerArrives) {
  Start();
  Client client = Connect();
  client.Send("POST /b HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n").Send(std::string(100'000, 'x'));
  EXPECT_THAT(client.ReadAll(), StartsWith("HTTP/1.1 413"));
}

TEST_F(ServerTest, AHalfClosedClientGetsItsAnswer) {
  Start();
  Client client = Connect();
  client.Send("GET /half HTTP/1.1\r\nHost: x\r\n\r\n");
  client.HalfClose();
  EXPECT_THAT(client.ReadAll(), HasSubstr("GET /half "));
}

TEST_F(ServerTest, WaitingEndsWhenNobodyWaits) {
  Start();
  Client client = Connect();
  client.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  client.HalfClose();
  EXPECT_THAT(client.ReadAll(), HasSubstr("nobody waits"));
}

TEST_F(ServerTest, SlowHeadsAreEnded) {
  Limits limits;
  limits.head = 50ms;
  Start(limits);
  Client client = Connect();
  client.Send("GET /slow HTTP/1.1\r\nHo");
  EXPECT_EQ(client.ReadAll(), "");
  Client silent = Connect();
  EXPECT_EQ(silent.ReadAll(), "");
  Stop();
  EXPECT_EQ(server_->stats().timed_out, 2);
}

TEST_F(ServerTest, SlowBodiesAreEnded) {
  Limits limits;
  limits.grace = 50ms;
  limits.bytes_per_s = 1e9;
  Start(limits);
  Client client = Connect();
  client.Send("POST /slow HTTP/1.1\r\nHost: x\r\nContent-Length: 10\r\n\r\nabc");
  EXPECT_EQ(client.ReadAll(), "");
  Stop();
  EXPECT_EQ(server_->stats().timed_out, 1);
}

TEST_F(ServerTest, IdleConnectionsAreEnded) {
  Limits limits;
  limits.idle = 50ms;
  Start(limits);
  Client client = Connect();
  client.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_TRUE(client.ReadAll().ends_with("GET /a "));
}

TEST_F(ServerTest, TooManyAreTurnedAway) {
  Limits limits;
  limits.connections = 1;
  Start(limits);
  Client first = Connect();
  first.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  first.ReadTo("/a ");
  Client second = Connect();
  EXPECT_THAT(second.ReadAll(), StartsWith("HTTP/1.1 503"));
  first.Send("GET /b HTTP/1.1\r\nHost: x\r\n\r\n");
  EXPECT_THAT(first.ReadTo("/b "), HasSubstr("200 OK"));
}

TEST_F(ServerTest, StopsWithAnswers) {
  Start();
  Client idle = Connect(), waiting = Connect();
  idle.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  idle.ReadTo("/a ");
  waiting.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  waiting.ReadTo("/a ");
  waiting.Send("GET /wait HTTP/1.1\r\nHost: x\r\n\r\n");
  Client after = Connect();
  after.Send("GET /a HTTP/1.1\r\nHost: x\r\n\r\n");
  after.ReadTo("/a ");  // So that /wait was read before.
  Stop();
  EXPECT_THAT(waiting.ReadAll(), HasSubstr("nobody waits"));
  EXPECT_EQ(idle.ReadAll(), "");
  EXPECT_EQ(server_->stats().open, 0);
}

TEST(Listen, SaysWhatCannotBe) {
  boost::asio::io_context io;
  Echo echo(io.get_executor());
  EXPECT_THAT(Server::Listen(io.get_executor(), "no-such-host", 0, {}, echo).error().message,
              HasSubstr("no-such-host"));
  EXPECT_TRUE(IsLoopback("localhost") && IsLoopback("::1") && IsLoopback("127.1.2.3"));
  EXPECT_FALSE(IsLoopback("0.0.0.0"));
}

}  // namespace
}  // namespace kgym::http
