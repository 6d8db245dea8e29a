// The cards of this machine, by NVIDIA's management library (NVML), which is loaded when first asked for.
//
// It needs no CUDA context, so the judge knows the cards without using one. `CUDA_VISIBLE_DEVICES` is respected: what
// it leaves out is not found. A MIG instance is named by its UUID there and appears as one card.
//
// Threads: any; NVML locks itself.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::judge {

struct Card {
  int index = 0;  // Among the visible ones.
  std::string uuid;
  std::string name;    // "NVIDIA H100 80GB HBM3".
  std::string driver;  // "580.65.06".
  int capability_major = 0, capability_minor = 0;
  std::int64_t memory_bytes = 0;

  /// "90": what a compiler is to build for.
  std::string arch() const;
};

/// What a card does at this moment.
struct CardState {
  int sm_mhz = 0, memory_mhz = 0;
  int temperature_c = 0;
  double power_w = 0;
  std::int64_t used_bytes = 0;
  std::uint64_t throttle = 0;  // NVML's bits.

  /// The reasons that lower a clock, in words; idleness and set clocks are none.
  std::vector<std::string> ThrottledBy() const;
  Json ToJson() const;
};

/// The visible cards; an error that says what is missing where there is no driver.
Result<std::vector<Card>> FindCards();

Result<CardState> StateOf(const Card& card);

/// The card that a `judge.device` of "cuda" or "cuda:N" means.
Result<Card> FindCard(const std::string& device);

}  // namespace kgym::judge
