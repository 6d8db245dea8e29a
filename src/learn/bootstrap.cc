#include "learn/bootstrap.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"
#include "base/text.h"
#include "learn/quantile.h"
#include "learn/random.h"

namespace kgym::learn {
namespace {

/// P(Poisson(1) <= n), scaled to 16 bits, for n = 0, 1, ... A number of more than 8 has less than 1 in 65536.
constexpr std::array<std::uint32_t, 8> kPoissonOne = {24109, 48218, 60273, 64291, 65296, 65497, 65531, 65535};

double PoissonOne(std::uint32_t bits16) {
  for (std::size_t n = 0; n < kPoissonOne.size(); ++n) {
    if (bits16 < kPoissonOne[n]) return static_cast<double>(n);
  }
  return static_cast<double>(kPoissonOne.size());
}

}  // namespace

BootstrapMean::BootstrapMean(std::size_t replicates, std::uint64_t seed) : seed_(Mix(seed)), replicates_(replicates) {
  KGYM_CHECK(replicates > 0);
}

Status BootstrapMean::Add(double value, std::int64_t cluster) {
  if (!std::isfinite(value)) {
    return Error{Concat("observation ", count_, " is ", value, "; a finite number is expected")};
  }
  sum_ += value;
  ++count_;
  const std::uint64_t key = Mix(seed_ ^ Mix(static_cast<std::uint64_t>(cluster)));
  std::uint64_t word = 0;
  for (std::size_t r = 0; r < replicates_.size(); ++r) {
    if (r % 4 == 0) word = Mix(key + r);  // Four numbers a word.
    const double times = PoissonOne(static_cast<std::uint32_t>(word & 0xffff));
    word >>= 16;
    replicates_[r].weight += times;
    replicates_[r].value += times * value;
  }
  return Ok();
}

void BootstrapMean::Merge(const BootstrapMean& other) {
  KGYM_CHECK(seed_ == other.seed_ && replicates_.size() == other.replicates_.size());
  sum_ += other.sum_;
  count_ += other.count_;
  for (std::size_t r = 0; r < replicates_.size(); ++r) {
    replicates_[r].weight += other.replicates_[r].weight;
    replicates_[r].value += other.replicates_[r].value;
  }
}

Estimate BootstrapMean::Finish(double confidence) const {
  KGYM_CHECK(confidence > 0 && confidence < 1);
  if (count_ == 0) return {};
  const double mean = sum_ / static_cast<double>(count_);
  std::vector<double> means;
  for (const Sum& replicate : replicates_) {
    if (replicate.weight > 0) means.push_back(replicate.value / replicate.weight);
  }
  if (means.empty()) return {mean, mean, mean, count_};
  std::ranges::sort(means);
  return {mean, QuantileOfSorted(means, (1 - confidence) / 2), QuantileOfSorted(means, (1 + confidence) / 2), count_};
}

Status GeometricMean::Add(double value, std::int64_t cluster) {
  if (!(value > 0)) return Error{Concat("a geometric mean is of numbers above 0; this one is ", value)};
  return logs_.Add(std::log(value), cluster);
}

Estimate GeometricMean::Finish(double confidence) const {
  const Estimate logs = logs_.Finish(confidence);
  if (logs.count == 0) return {};
  return {std::exp(logs.value), std::exp(logs.low), std::exp(logs.high), logs.count};
}

}  // namespace kgym::learn
