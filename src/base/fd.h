// File descriptors that close themselves, and memfds: memory with a descriptor, which travels between processes.
//
// All descriptors are made close-on-exec.
//
// Threads: an Fd belongs to one thread at a time; the functions may be called from any.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>

#include "base/result.h"

namespace kgym {

class Fd {
 public:
  Fd() = default;
  explicit Fd(int fd) : fd_(fd) {}
  Fd(Fd&& other) noexcept : fd_(other.release()) {}
  Fd& operator=(Fd&& other) noexcept {
    reset(other.release());
    return *this;
  }
  ~Fd() { reset(); }

  int get() const { return fd_; }
  bool valid() const { return fd_ >= 0; }
  explicit operator bool() const { return valid(); }

  int release() { return std::exchange(fd_, -1); }
  void reset(int fd = -1);

  Result<Fd> Duplicate() const;

 private:
  int fd_ = -1;
};

/// Reads until the end of the file or stream; more than `limit` bytes is an error.
Result<std::string> ReadAll(int fd, std::size_t limit);
Status WriteAll(int fd, std::string_view bytes);

/// An empty memfd that can be sealed; `name` shows in /proc only.
Result<Fd> CreateMemfd(const std::string& name);

/// A memfd of `size` zero bytes whose size is sealed: whoever holds it may map and write it, nobody may shrink it.
Result<Fd> CreateArena(const std::string& name, std::size_t size);

/// A memfd that holds `bytes` and can no longer be changed, read position at its start.
Result<Fd> SealedMemfd(const std::string& name, std::string_view bytes);

Status SealSize(int memfd);        // Against growing and shrinking.
Status SealEverything(int memfd);  // Against any change, and any further seal.

/// The bytes of a memfd, wherever its read position is. A memfd that another process may still shrink or write is read
/// as it is at the moment; the result is a private copy.
Result<std::string> ReadMemfd(int memfd, std::size_t limit);

}  // namespace kgym
