// Random numbers of a simulation, the same on every machine.
//
// Threads: one at a time.
#pragma once

#include <cmath>
#include <cstddef>
#include <cstdint>
#include <numbers>
#include <random>

namespace kgym::service::simulator {

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}

  double Uniform() { return (static_cast<double>(engine_() >> 11) + 0.5) * 0x1p-53; }  // In (0, 1).
  std::size_t Below(std::size_t end) { return static_cast<std::size_t>(Uniform() * static_cast<double>(end)); }
  double Exponential(double mean) { return -mean * std::log(Uniform()); }
  double Normal() { return std::sqrt(-2 * std::log(Uniform())) * std::cos(2 * std::numbers::pi * Uniform()); }
  double LogNormal(double median, double sigma) { return median * std::exp(sigma * Normal()); }

 private:
  std::mt19937_64 engine_;  // Its numbers are those of the standard; the standard's distributions are not.
};

}  // namespace kgym::service::simulator
