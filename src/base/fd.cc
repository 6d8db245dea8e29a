#include "base/fd.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>

namespace kgym {
namespace {

constexpr std::size_t kChunk = std::size_t{1} << 16;

Status Seal(int memfd, int seals) {
  if (fcntl(memfd, F_ADD_SEALS, seals) != 0) return SystemError("sealing a memfd");
  return Ok();
}

Error TooLarge(std::size_t limit) {
  return Error{"more than the " + std::to_string(limit) + " bytes that are allowed"};
}

}  // namespace

void Fd::reset(int fd) {
  if (fd_ >= 0 && fd_ != fd)
    close(fd_);  // An error of close(2) cannot be acted upon: the descriptor is gone either way.
  fd_ = fd;
}

Result<Fd> Fd::Duplicate() const {
  Fd copy(fcntl(fd_, F_DUPFD_CLOEXEC, 0));
  if (!copy) return SystemError("duplicating a descriptor");
  return copy;
}

Result<std::string> ReadAll(int fd, std::size_t limit) {
  std::string bytes;
  std::size_t used = 0;
  while (true) {
    bytes.resize(used + kChunk);
    const ssize_t got = read(fd, bytes.data() + used, kChunk);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("read");
    used += static_cast<std::size_t>(got);
    if (used > limit) return TooLarge(limit);
    if (got == 0) break;
  }
  bytes.resize(used);
  return bytes;
}

Status WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = write(fd, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written < 0) return SystemError("write");
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return Ok();
}

Result<Fd> CreateMemfd(const std::string& name) {
  Fd memfd(memfd_create(name.c_str(), MFD_CLOEXEC | MFD_ALLOW_SEALING));
  if (!memfd) return SystemError("memfd_create");
  return memfd;
}

Result<Fd> CreateArena(const std::string& name, std::size_t size) {
  KGYM_TRY(Fd memfd, CreateMemfd(name));
  if (ftruncate(memfd.get(), static_cast<off_t>(size)) != 0) {
    return SystemError("making an arena of " + std::to_string(size) + " bytes");
  }
  KGYM_TRY_VOID(SealSize(memfd.get()));
  return memfd;
}

Result<Fd> SealedMemfd(const std::string& name, std::string_view bytes) {
  KGYM_TRY(Fd memfd, CreateMemfd(name));
  KGYM_TRY_VOID(WriteAll(memfd.get(), bytes));
  if (lseek(memfd.get(), 0, SEEK_SET) != 0) return SystemError("lseek");
  KGYM_TRY_VOID(SealEverything(memfd.get()));
  return memfd;
}

Status SealSize(int memfd) { return Seal(memfd, F_SEAL_SHRINK | F_SEAL_GROW); }

Status SealEverything(int memfd) { return Seal(memfd, F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL); }

Result<std::string> ReadMemfd(int memfd, std::size_t limit) {
  struct stat info {};
  if (fstat(memfd, &info) != 0) return SystemError("fstat");
  if (!S_ISREG(info.st_mode)) return Error{"not a file: a memfd is expected"};
  const auto size = static_cast<std::size_t>(info.st_size);
  if (size > limit) return TooLarge(limit);
  std::string bytes(size, '\0');
  std::size_t used = 0;
  while (used < size) {
    const ssize_t got = pread(memfd, bytes.data() + used, size - used, static_cast<off_t>(used));
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return SystemError("pread");
    if (got == 0) break;
    used += static_cast<std::size_t>(got);
  }
  bytes.resize(used);
  return bytes;
}

}  // namespace kgym
