#include "base/ids.h"

#include <sys/random.h>

#include <array>
#include <cerrno>
#include <string_view>
#include <vector>

#include "base/check.h"

namespace kgym {

void FillRandom(std::span<std::byte> bytes) {
  while (!bytes.empty()) {
    const ssize_t got = getrandom(bytes.data(), bytes.size(), 0);
    if (got < 0 && errno == EINTR) continue;
    KGYM_CHECK_GT(got, 0) << "getrandom";
    bytes = bytes.subspan(static_cast<std::size_t>(got));
  }
}

std::uint64_t RandomU64() {
  std::uint64_t value = 0;
  FillRandom(std::as_writable_bytes(std::span(&value, 1)));
  return value;
}

std::string Hex(std::span<const std::byte> bytes) {
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string text;
  text.reserve(2 * bytes.size());
  for (const std::byte byte : bytes) {
    const auto value = std::to_integer<unsigned>(byte);
    text += kDigits[value >> 4];
    text += kDigits[value & 15];
  }
  return text;
}

std::string RandomHex(std::size_t bytes) {
  std::vector<std::byte> random(bytes);
  FillRandom(random);
  return Hex(random);
}

std::string NewEvaluationId(std::chrono::system_clock::time_point now) {
  // Base 32 without i, l, o and u, which are misread; the digits are in the order of their character codes.
  constexpr std::string_view kDigits = "0123456789abcdefghjkmnpqrstvwxyz";
  std::string id(26, '0');
  const auto since_epoch = std::chrono::duration_cast<std::chrono::milliseconds>(now.time_since_epoch());
  std::uint64_t ms = static_cast<std::uint64_t>(since_epoch.count());
  for (std::size_t i = 10; i-- > 0; ms >>= 5) id[i] = kDigits[ms & 31];
  std::array<std::byte, 16> random;
  FillRandom(random);
  for (std::size_t i = 0; i < random.size(); ++i) id[10 + i] = kDigits[std::to_integer<unsigned>(random[i]) & 31];
  return id;
}

}  // namespace kgym
