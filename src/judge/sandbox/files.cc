#include "judge/sandbox/files.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace kgym::judge::sandbox {
namespace {

bool WriteAndClose(int fd, const std::string& text) {
  if (fd < 0) return false;
  const ssize_t written = write(fd, text.data(), text.size());
  const int error = errno;
  close(fd);
  errno = error;
  return written == static_cast<ssize_t>(text.size());
}

}  // namespace

bool WriteExisting(const std::string& path, const std::string& text) {
  return WriteAndClose(open(path.c_str(), O_WRONLY | O_CLOEXEC), text);
}

bool WriteNew(const std::string& path, const std::string& text, mode_t mode) {
  const int fd = open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, mode);
  if (fd >= 0) fchmod(fd, mode);
  return WriteAndClose(fd, text);
}

std::optional<std::string> ReadAll(const std::string& path) {
  constexpr std::size_t kMost = 1 << 20;
  const int fd = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) return std::nullopt;
  std::string text;
  char buffer[4096];
  ssize_t n = 0;
  while (text.size() < kMost && (n = read(fd, buffer, sizeof buffer)) > 0) text.append(buffer, static_cast<size_t>(n));
  close(fd);
  if (n < 0) return std::nullopt;
  return text;
}

bool MakeFolders(const std::string& path) {
  for (std::size_t end = 1; end != std::string::npos;) {
    end = path.find('/', end + 1);
    const std::string part = path.substr(0, end);
    if (mkdir(part.c_str(), 0755) == 0) {
      chmod(part.c_str(), 0755);
    } else if (errno != EEXIST) {
      return false;
    }
  }
  struct stat found;
  return stat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode);
}

bool IsWithin(const std::string& path, const std::string& folder) {
  return path.starts_with(folder) && (path.size() == folder.size() || path[folder.size()] == '/');
}

}  // namespace kgym::judge::sandbox
