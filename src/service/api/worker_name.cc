#include "service/api/worker_name.h"

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

#include <cerrno>
#include <iterator>

#include "base/files.h"
#include "base/ids.h"
#include "base/log.h"
#include "base/text.h"

namespace kgym::service {
namespace {

constexpr int kMostNames = 256;             // Of one machine.
constexpr std::ptrdiff_t kMostBefore = 32;  // Of processes that are remembered.
constexpr std::size_t kLongestFile = 1 << 16;

std::string NewName() {
  char host[256] = "host";
  ::gethostname(host, sizeof host - 1);
  return Concat(host, "-", ::getpid(), "-", RandomHex(2));
}

/// The first file that nobody holds, locked; not valid where there is none.
Fd LockOne(const std::filesystem::path& folder) {
  for (int i = 0; i < kMostNames; ++i) {
    const std::filesystem::path path = folder / std::to_string(i);
    Fd file(::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0600));
    if (!file) return {};
    if (::flock(file.get(), LOCK_EX | LOCK_NB) == 0) return file;
    if (errno != EWOULDBLOCK) return {};
  }
  return {};
}

}  // namespace

WorkerName TakeWorkerName(const std::filesystem::path& folder) {
  WorkerName taken{.name = NewName(), .before = {}, .lock = {}};
  Fd file = MakeFolders(folder).ok() ? LockOne(folder) : Fd();
  if (!file) {
    LogInfo(Concat("no name can be kept in ", folder.string(),
                   "; what this process runs is tried again after its lease "
                   "if it is killed"));
    return taken;
  }
  Result<std::string> written = ReadAll(file.get(), kLongestFile);
  std::string names;
  for (const std::string& name : Split(std::move(written).value_or(""), '\n')) {
    if (!name.empty()) taken.before.push_back(name);
  }
  if (std::ssize(taken.before) > kMostBefore)
    taken.before.erase(taken.before.begin(), taken.before.end() - kMostBefore);
  for (const std::string& name : taken.before) names += name + "\n";
  names += taken.name + "\n";
  if (::ftruncate(file.get(), 0) != 0 || ::lseek(file.get(), 0, SEEK_SET) != 0 || !WriteAll(file.get(), names).ok()) {
    LogInfo(Concat("the name ", taken.name, " cannot be written into ", folder.string()));
  }
  taken.lock = std::move(file);
  return taken;
}

}  // namespace kgym::service
