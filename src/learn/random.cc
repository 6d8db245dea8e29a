#include "learn/random.h"

#include <bit>
#include <charconv>
#include <cmath>
#include <numbers>
#include <string>
#include <utility>

#include "base/check.h"

namespace kgym::learn {

std::uint64_t Mix(std::uint64_t word) {
  word += 0x9e3779b97f4a7c15u;
  word = (word ^ (word >> 30)) * 0xbf58476d1ce4e5b9u;
  word = (word ^ (word >> 27)) * 0x94d049bb133111ebu;
  return word ^ (word >> 31);
}

Random::Random(std::uint64_t seed) {
  for (std::uint64_t& word : state_) {
    word = Mix(seed);
    seed += 0x9e3779b97f4a7c15u;
  }
}

std::uint64_t Random::Next() {
  auto& [a, b, c, d] = state_;
  const std::uint64_t result = std::rotl(a + d, 23) + a;
  const std::uint64_t shifted = b << 17;
  c ^= a;
  d ^= b;
  b ^= c;
  a ^= d;
  c ^= shifted;
  d = std::rotl(d, 45);
  return result;
}

double Random::Uniform() { return static_cast<double>(Next() >> 11) * 0x1p-53; }

double Random::Normal() {
  const double radius = std::sqrt(-2 * std::log(1 - Uniform()));  // 1 - Uniform() is never 0.
  return radius * std::cos(2 * std::numbers::pi * Uniform());
}

std::size_t Random::Below(std::size_t end) {
  KGYM_CHECK(end > 0);
  // Words above the largest multiple of `end` would favour small numbers.
  const std::uint64_t unfair = -end % end;
  std::uint64_t word = Next();
  while (word < unfair) word = Next();
  return word % end;
}

void Random::Shuffle(std::span<std::size_t> values) {
  for (std::size_t i = values.size(); i > 1; --i) std::swap(values[i - 1], values[Below(i)]);
}

Json Random::State() const {
  Json words = Json::array();
  for (std::uint64_t word : state_) {
    char text[17] = {};
    std::to_chars(text, text + 16, word, 16);
    words.push_back(std::string(text));
  }
  return words;
}

Result<Random> Random::FromState(const Json& state) {
  const Error wrong{"state of the random numbers: four words of hexadecimal digits, not all 0, are expected"};
  if (!state.is_array() || state.size() != 4) return wrong;
  Random random(0);
  std::uint64_t any = 0;
  for (std::size_t i = 0; i < 4; ++i) {
    if (!state[i].is_string()) return wrong;
    const auto& text = state[i].get_ref<const std::string&>();
    const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), random.state_[i], 16);
    if (code != std::errc() || end != text.data() + text.size()) return wrong;
    any |= random.state_[i];
  }
  if (any == 0) return wrong;
  return random;
}

}  // namespace kgym::learn
