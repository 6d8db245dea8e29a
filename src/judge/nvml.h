// The cards of this machine, as NVIDIA's management library knows them: without a CUDA context.
//
// `CUDA_VISIBLE_DEVICES` says which there are, and in which order, as CUDA understands it: a list of indices, of UUIDs
// or of their beginnings, up to the first that names nothing. A MIG instance ("MIG-...") is a card of its own; a card
// that is cut up stands for its instances. Indices are NVML's, in the order of the PCI bus.
//
// Threads: any.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "judge/nvml_library.h"

namespace kgym::judge {

struct Card {
  int index = 0;  // Among the visible ones.
  std::string uuid;
  std::string parent;  // Of a MIG instance: the UUID of the card that it is a part of; else empty.
  std::string name;    // "NVIDIA H100 80GB HBM3".
  std::string driver;  // "580.65.06".
  int capability_major = 0, capability_minor = 0;
  std::int64_t memory_bytes = 0;  // Of the instance, where it is one.

  /// "90": what a compiler is to build for.
  std::string arch() const;
};

/// What a card does at this moment. Of a MIG instance the memory is its own; clocks, temperature and power are its
/// parent's.
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

/// CUDA_VISIBLE_DEVICES, if it is set.
std::optional<std::string> VisibleDevices();

/// The visible cards; an error that says what is missing where there is no driver.
Result<std::vector<Card>> FindCards(const NvmlLibrary& nvml = Nvml(),
                                    const std::optional<std::string>& visible = VisibleDevices());

/// The card that a `judge.device` of "cuda" or "cuda:N" means: the first, or the N-th, of those.
Result<Card> FindCard(const std::string& device, const NvmlLibrary& nvml = Nvml(),
                      const std::optional<std::string>& visible = VisibleDevices());

Result<CardState> StateOf(const Card& card, const NvmlLibrary& nvml = Nvml());

/// The handle of a card or an instance with exactly this UUID.
Result<NvmlDevice> DeviceByUuid(const NvmlLibrary& nvml, const std::string& uuid);

}  // namespace kgym::judge
