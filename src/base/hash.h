// SHA-256 (FIPS 180-4), for keys of content: a build cache, a problem's identity. Not for passwords.
//
// Threads: any; one Sha256 object belongs to one thread at a time.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace kgym {

class Sha256 {
 public:
  using Digest = std::array<std::byte, 32>;

  Sha256& Update(std::string_view bytes);

  /// Feeds the length before the bytes, so that fields cannot run into each other: "ab", "c" differs from "a", "bc".
  Sha256& Field(std::string_view bytes);

  /// The digest of all that was fed. The object is spent afterwards.
  Digest Finish();
  std::string FinishHex();

 private:
  void Block(const unsigned char* bytes);

  std::array<std::uint32_t, 8> state_ = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                         0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  std::array<unsigned char, 64> pending_{};
  std::uint64_t length_ = 0;  // Bytes fed so far.
};

/// 64 characters of lower-case hex.
std::string Sha256Hex(std::string_view bytes);

}  // namespace kgym
