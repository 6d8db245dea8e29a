// What a card reports as going wrong: Xids (the driver's codes for errors) and ECC errors of its memory, by NVML.
//
// The driver does not say whose process an error belongs to, and several evaluations share a card. Most codes are those
// of a program that did something wrong, and such a program gets its verdict by its own error; the others are the
// card's, and then nothing that ran meanwhile may be judged by it.
//
// Threads: the pure parts any; a CardWatch one at a time.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "judge/nvml.h"

namespace kgym::judge {

/// All that a card has reported since it is watched; two of them tell what came between.
struct CardReports {
  std::map<int, std::int64_t> xids;              // How often each code.
  std::uint64_t double_bit = 0;                  // Events of an uncorrectable error.
  std::uint64_t corrected = 0, uncorrected = 0;  // The card's own counters, since its driver was loaded.
  bool lost = false;                             // The driver does not reach it any more.
};

/// What it reported between two moments.
struct CardErrors {
  std::vector<int> xids;  // Each code once, ascending.
  std::uint64_t corrected = 0, uncorrected = 0;
  bool lost = false;

  /// What was the card's own failure and not a program's, in a sentence; empty where nothing was.
  std::string Fault() const;

  /// "xid" and "ecc_errors" into a verdict's facts of the device, where there are any.
  void AddTo(Json& facts) const;
};

CardErrors Between(const CardReports& before, const CardReports& after);

/// Whether a program can cause this Xid by itself: an illegal access, a kernel that does not end, being killed.
bool IsOfAProgram(int xid);

class CardWatch {
 public:
  /// `nvml` must outlive it. Where the driver has no events for this card, `missing` says so and nothing is reported.
  CardWatch(const Card& card, const NvmlLibrary& nvml);
  ~CardWatch();
  CardWatch(const CardWatch&) = delete;
  CardWatch& operator=(const CardWatch&) = delete;

  /// Takes in what the card has to say by now. Where it has nothing to say it is waited for, no longer than `patience`:
  /// the driver may tell a process of its error before it tells us.
  const CardReports& Look(Duration patience = Duration(0));

  const std::string& missing() const { return missing_; }

 private:
  std::string Register();
  void TakeEvents(Duration patience);
  void TakeCounters();
  bool Concerns(const NvmlEvent& event) const;

  const NvmlLibrary& nvml_;
  NvmlDevice device_ = nullptr;          // The whole card, also for an instance of it.
  unsigned instance_ = kNvmlNoInstance;  // Of a MIG instance: which.
  NvmlEventSet events_ = nullptr;
  std::string missing_;
  CardReports reports_;
};

}  // namespace kgym::judge
