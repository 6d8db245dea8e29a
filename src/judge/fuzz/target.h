// What every fuzz target defines: one function of bytes. libFuzzer calls it, and so does the test that replays a
// corpus.
//
// It stops the process (KGYM_CHECK, or a sanitizer) where something does not hold, and else returns 0.
//
// Threads: one.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size);

namespace kgym::judge::fuzz {

inline std::string_view Bytes(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// The text before the next `separator`, or all that is left; both are taken off `rest`.
inline std::string_view TakeUntil(std::string_view& rest, char separator) {
  const std::string_view part = rest.substr(0, rest.find(separator));
  rest.remove_prefix(part.size() < rest.size() ? part.size() + 1 : part.size());
  return part;
}

}  // namespace kgym::judge::fuzz
