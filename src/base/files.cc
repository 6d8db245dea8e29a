#include "base/files.h"

#include <fcntl.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/fd.h"
#include "base/ids.h"

namespace kgym {
namespace fs = std::filesystem;
namespace {

Error PathError(const fs::path& path, const std::error_code& code) {
  return Error{path.string() + ": " + code.message()};
}

Status WriteAndSync(const fs::path& path, std::string_view bytes, unsigned mode) {
  const Fd file(open(path.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, mode));
  if (!file) return SystemError(path.string());
  if (Status written = WriteAll(file.get(), bytes); !written) return Within(path.string(), written.error());
  if (fsync(file.get()) != 0) return SystemError(path.string());
  return Ok();
}

}  // namespace

Result<std::string> ReadFile(const fs::path& path, std::size_t limit) {
  const Fd file(open(path.c_str(), O_RDONLY | O_CLOEXEC));
  if (!file) return SystemError(path.string());
  Result<std::string> bytes = ReadAll(file.get(), limit);
  if (!bytes) return Within(path.string(), std::move(bytes).error());
  return bytes;
}

Status WriteFileAtomic(const fs::path& path, std::string_view bytes, unsigned mode) {
  fs::path temporary = path;
  temporary += "." + RandomHex(8) + ".tmp";
  Status written = WriteAndSync(temporary, bytes, mode);
  if (written.ok() && rename(temporary.c_str(), path.c_str()) != 0) written = SystemError(path.string());
  if (!written.ok()) unlink(temporary.c_str());
  return written;
}

Status MakeFolders(const fs::path& path) {
  std::error_code code;
  fs::create_directories(path, code);
  if (code) return PathError(path, code);
  return Ok();
}

Result<std::vector<fs::path>> ListFiles(const fs::path& folder, std::string_view suffix) {
  std::vector<fs::path> files;
  std::error_code code;
  for (fs::recursive_directory_iterator entry(folder, code), end; !code && entry != end; entry.increment(code)) {
    std::error_code unreadable;  // A file that vanished meanwhile is no file.
    if (entry->is_regular_file(unreadable) && entry->path().native().ends_with(suffix)) files.push_back(entry->path());
  }
  if (code) return PathError(folder, code);
  std::sort(files.begin(), files.end());
  return files;
}

Result<TempDir> TempDir::Create(std::string_view prefix, const fs::path& parent) {
  const char* variable = getenv("TMPDIR");
  const fs::path below = !parent.empty() ? parent : variable != nullptr && *variable != '\0' ? variable : "/tmp";
  std::string pattern = (below / (std::string(prefix) + "XXXXXX")).string();
  if (mkdtemp(pattern.data()) == nullptr) return SystemError(pattern);
  return TempDir(fs::path(pattern));
}

TempDir::TempDir(TempDir&& other) noexcept : path_(std::exchange(other.path_, {})) {}

TempDir& TempDir::operator=(TempDir&& other) noexcept {
  if (this != &other) {
    Remove();
    path_ = std::exchange(other.path_, {});
  }
  return *this;
}

TempDir::~TempDir() { Remove(); }

void TempDir::Remove() {
  std::error_code ignored;  // What cannot be removed is left to the system's cleaning of temporary files.
  if (!path_.empty()) fs::remove_all(path_, ignored);
}

}  // namespace kgym
