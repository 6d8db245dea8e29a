// Memory for results: not cleared, since whoever asks for it writes all of it, and in large pages where it is large. A
// matrix of tokens of 100 MB is 25,000 small pages, and the system takes longer to hand those out than to write to
// them.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <cstdlib>
#include <memory>
#include <new>

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace kgym::python {

struct FreeBuffer {
  void operator()(void* memory) const noexcept { std::free(memory); }
};
template <class T>
using Buffer = std::unique_ptr<T[], FreeBuffer>;

/// Room for `count` values of a plain type.
template <class T>
Buffer<T> NewBuffer(std::size_t count) {
  constexpr std::size_t kLargePage = std::size_t{2} << 20;
  std::size_t bytes = count * sizeof(T);
  const bool large = bytes >= 2 * kLargePage;
  if (large) bytes = (bytes + kLargePage - 1) / kLargePage * kLargePage;
  void* memory = large ? std::aligned_alloc(kLargePage, bytes) : std::malloc(bytes > 0 ? bytes : 1);
  if (memory == nullptr) throw std::bad_alloc();
#ifdef MADV_HUGEPAGE
  if (large) madvise(memory, bytes, MADV_HUGEPAGE);  // A wish: where it is not granted, pages are small.
#endif
  return Buffer<T>(static_cast<T*>(memory));
}

}  // namespace kgym::python
