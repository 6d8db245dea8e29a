// Random numbers that are the same on every machine and can be saved and resumed: xoshiro256++ seeded by SplitMix64
// (Blackman and Vigna, 2019). The distributions of the standard library differ between libraries; these do not.
//
// Threads: one at a time. Copies go on independently with the same numbers.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/json.h"
#include "base/result.h"

namespace kgym::learn {

/// A well-mixed hash of one word: neighbouring words give unrelated ones.
std::uint64_t Mix(std::uint64_t word);

class Random {
 public:
  explicit Random(std::uint64_t seed);

  std::uint64_t Next();
  double Uniform();                    // In [0, 1), 53 bits.
  double Normal();                     // Mean 0, standard deviation 1.
  std::size_t Below(std::size_t end);  // Uniform in [0, end); `end` is not 0.
  void Shuffle(std::span<std::size_t> values);

  /// Four hexadecimal words: JSON numbers lose bits in many readers.
  Json State() const;
  static Result<Random> FromState(const Json& state);

 private:
  std::array<std::uint64_t, 4> state_;
};

}  // namespace kgym::learn
