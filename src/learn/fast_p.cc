#include "learn/fast_p.h"

#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace kgym::learn {

FastP::FastP(std::vector<double> thresholds, FastIf convention)
    : thresholds_(std::move(thresholds)), convention_(convention), fast_(thresholds_.size(), 0) {}

Status FastP::Add(bool correct, double speedup) {
  if (correct && !(std::isfinite(speedup) && speedup > 0)) {
    return Error{Concat("speedup of submission ", count_, " is ", speedup, "; a finite number above 0 is expected")};
  }
  ++count_;
  if (!correct) return Ok();
  ++correct_;
  for (std::size_t i = 0; i < thresholds_.size(); ++i) {
    fast_[i] += convention_ == FastIf::kAbove ? speedup > thresholds_[i] : speedup >= thresholds_[i];
  }
  return Ok();
}

void FastP::Merge(const FastP& other) {
  KGYM_CHECK(thresholds_ == other.thresholds_ && convention_ == other.convention_);
  count_ += other.count_;
  correct_ += other.correct_;
  for (std::size_t i = 0; i < fast_.size(); ++i) fast_[i] += other.fast_[i];
}

double FastP::InAll(std::size_t threshold) const {
  return count_ == 0 ? 0 : static_cast<double>(fast_[threshold]) / static_cast<double>(count_);
}

double FastP::AmongCorrect(std::size_t threshold) const {
  return correct_ == 0 ? 0 : static_cast<double>(fast_[threshold]) / static_cast<double>(correct_);
}

}  // namespace kgym::learn
