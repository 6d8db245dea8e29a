#include "judge/nvml.h"

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr int kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;

/// The number that all of `text` is.
std::optional<unsigned> Number(std::string_view text) {
  unsigned number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

std::string UuidOf(const NvmlLibrary& nvml, NvmlDevice device) {
  char text[kNvmlTextSize] = {};
  return nvml.Uuid(device, text, kNvmlTextSize) == kNvmlOk ? text : "";
}

/// The card that an instance is a part of; null for a card.
NvmlDevice ParentOf(const NvmlLibrary& nvml, NvmlDevice device) {
  NvmlDevice parent = nullptr;
  if (nvml.MigParent == nullptr || nvml.MigParent(device, &parent) != kNvmlOk || parent == device) return nullptr;
  return parent;
}

/// What can be computed on: the card, or where it is cut up, its instances, of which there may be none.
std::vector<NvmlDevice> PartsOf(const NvmlLibrary& nvml, NvmlDevice card) {
  unsigned current = 0, pending = 0, most = 0;
  if (ParentOf(nvml, card) != nullptr || nvml.MigMode == nullptr) return {card};
  if (nvml.MigMode(card, &current, &pending) != kNvmlOk || current == 0) return {card};
  if (nvml.MigCount == nullptr || nvml.MigByIndex == nullptr || nvml.MigCount(card, &most) != kNvmlOk) return {};
  std::vector<NvmlDevice> instances;
  for (unsigned i = 0; i < most; ++i) {
    NvmlDevice instance = nullptr;  // Of the places some may be empty.
    if (nvml.MigByIndex(card, i, &instance) == kNvmlOk) instances.push_back(instance);
  }
  return instances;
}

std::vector<NvmlDevice> Everything(const NvmlLibrary& nvml, unsigned count) {
  std::vector<NvmlDevice> devices;
  for (unsigned i = 0; i < count; ++i) {
    NvmlDevice card = nullptr;
    if (nvml.ByIndex(i, &card) != kNvmlOk) continue;
    devices.push_back(card);
    for (NvmlDevice part : PartsOf(nvml, card)) {
      if (part != card) devices.push_back(part);
    }
  }
  return devices;
}

/// What an entry of CUDA_VISIBLE_DEVICES names: an index, a UUID, or the beginning of exactly one; null for nothing.
NvmlDevice Named(const NvmlLibrary& nvml, const std::string& name, unsigned count) {
  NvmlDevice device = nullptr;
  if (const std::optional<unsigned> index = Number(name))
    return nvml.ByIndex(*index, &device) == kNvmlOk ? device : nullptr;
  if (!name.starts_with("GPU-") && !name.starts_with("MIG-")) return nullptr;
  if (nvml.ByUuid(name.c_str(), &device) == kNvmlOk) return device;
  std::vector<NvmlDevice> alike = Everything(nvml, count);
  std::erase_if(alike, [&](NvmlDevice other) { return !UuidOf(nvml, other).starts_with(name); });
  return alike.size() == 1 ? alike.front() : nullptr;
}

struct Visible {
  std::vector<NvmlDevice> devices;
  std::string ended;  // Why there are not more, where an entry is at fault.
};

Visible Look(const NvmlLibrary& nvml, const std::optional<std::string>& names, unsigned count) {
  Visible found;
  std::vector<std::string> entries;
  if (names) {
    for (const std::string& name : Split(*names, ',')) entries.emplace_back(Trim(name));
    if (entries.size() == 1 && entries[0].empty()) entries.clear();
  } else {
    for (unsigned i = 0; i < count; ++i) entries.push_back(std::to_string(i));
  }
  for (const std::string& entry : entries) {
    NvmlDevice device = Named(nvml, entry, count);
    if (device == nullptr) {
      found.ended = Concat("its entry '", entry, "' names no card of this machine, and hides what follows");
      break;
    }
    const std::vector<NvmlDevice> parts = PartsOf(nvml, device);
    if (parts.empty()) found.ended = Concat("card '", entry, "' is in MIG mode and has no instance");
    for (NvmlDevice part : parts) {
      if (std::ranges::find(found.devices, part) != found.devices.end())
        return {{}, Concat("it names '", entry, "' twice, which CUDA takes for none at all")};
      found.devices.push_back(part);
    }
  }
  return found;
}

std::string DriverVersion(const NvmlLibrary& nvml) {
  char text[kNvmlTextSize] = {};
  return nvml.DriverVersion(text, kNvmlTextSize) == kNvmlOk ? text : "unknown";
}

Result<Card> CardOf(const NvmlLibrary& nvml, NvmlDevice device, int index) {
  Card card;
  card.index = index;
  card.uuid = UuidOf(nvml, device);
  if (card.uuid.empty()) return Error{Concat("card ", index, ": the driver does not tell its UUID")};
  NvmlDevice parent = ParentOf(nvml, device);
  if (parent != nullptr) card.parent = UuidOf(nvml, parent);
  char text[kNvmlTextSize] = {};
  if (nvml.Name(device, text, kNvmlTextSize) == kNvmlOk) card.name = text;
  NvmlMemory memory;
  if (nvml.MemoryInfo(device, &memory) == kNvmlOk) card.memory_bytes = static_cast<std::int64_t>(memory.total);
  nvml.Capability(parent != nullptr ? parent : device, &card.capability_major, &card.capability_minor);
  card.driver = DriverVersion(nvml);
  return card;
}

Result<Visible> LookFor(const NvmlLibrary& nvml, const std::optional<std::string>& visible) {
  if (!nvml.error.empty()) return Error{nvml.error};
  unsigned count = 0;
  if (const int code = nvml.Count(&count); code != kNvmlOk)
    return Error{Concat("counting cards: ", nvml.ErrorString(code))};
  return Look(nvml, visible, count);
}

/// Why `device` is none of those that are visible.
Error NotVisible(const std::string& device, const Visible& found, const std::optional<std::string>& visible) {
  const std::size_t count = found.devices.size();
  std::string text = Concat("config: judge.device is '", device, "'; ");
  if (count == 0) text += "no card is visible";
  if (count == 1) text += "cuda:0 is the only card that is visible";
  if (count > 1) text += Concat("cuda:0 to cuda:", count - 1, " are visible");
  text += visible ? Concat(": CUDA_VISIBLE_DEVICES is '", *visible, "'") : " on this machine";
  if (!found.ended.empty()) text += Concat(visible ? ", and " : ": ", found.ended);
  return Error{text + ". `nvidia-smi -L` lists the machine's cards"};
}

}  // namespace

std::string Card::arch() const { return std::to_string(capability_major) + std::to_string(capability_minor); }

std::vector<std::string> CardState::ThrottledBy() const {
  constexpr std::pair<std::uint64_t, const char*> kReasons[] = {
      {0x4, "power cap"},   {0x8, "hardware slowdown"},          {0x20, "software thermal slowdown"},
      {0x10, "sync boost"}, {0x40, "hardware thermal slowdown"}, {0x80, "hardware power brake"},
  };
  std::vector<std::string> words;
  for (const auto& [bit, word] : kReasons) {
    if ((throttle & bit) != 0) words.emplace_back(word);
  }
  return words;
}

Json CardState::ToJson() const {
  return {{"sm_mhz", sm_mhz},   {"memory_mhz", memory_mhz}, {"temperature_c", temperature_c},
          {"power_w", power_w}, {"used_bytes", used_bytes}, {"throttled_by", ThrottledBy()}};
}

std::optional<std::string> VisibleDevices() {
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  return visible != nullptr ? std::optional<std::string>(visible) : std::nullopt;
}

Result<std::vector<Card>> FindCards(const NvmlLibrary& nvml, const std::optional<std::string>& visible) {
  KGYM_TRY(const Visible found, LookFor(nvml, visible));
  std::vector<Card> cards;
  for (NvmlDevice device : found.devices) {
    KGYM_TRY(Card card, CardOf(nvml, device, static_cast<int>(cards.size())));
    cards.push_back(std::move(card));
  }
  return cards;
}

Result<Card> FindCard(const std::string& device, const NvmlLibrary& nvml, const std::optional<std::string>& visible) {
  std::optional<unsigned> index;
  if (device == "cuda") index = 0;
  if (device.starts_with("cuda:")) index = Number(std::string_view(device).substr(5));
  if (!index) return Error{Concat("config: judge.device is '", device, "'; cpu, cuda or cuda:N is expected")};
  KGYM_TRY(const Visible found, LookFor(nvml, visible));
  if (*index >= found.devices.size()) return NotVisible(device, found, visible);
  return CardOf(nvml, found.devices[*index], static_cast<int>(*index));
}

Result<NvmlDevice> DeviceByUuid(const NvmlLibrary& nvml, const std::string& uuid) {
  if (!nvml.error.empty()) return Error{nvml.error};
  NvmlDevice device = nullptr;
  if (const int code = nvml.ByUuid(uuid.c_str(), &device); code != kNvmlOk)
    return Error{Concat("card '", uuid, "': ", nvml.ErrorString(code))};
  return device;
}

Result<CardState> StateOf(const Card& card, const NvmlLibrary& nvml) {
  KGYM_TRY(const NvmlDevice own, DeviceByUuid(nvml, card.uuid));
  NvmlDevice whole = own;
  if (!card.parent.empty()) {
    KGYM_TRY(whole, DeviceByUuid(nvml, card.parent));
  }
  CardState state;
  unsigned value = 0;
  if (nvml.Clock(whole, kSmClock, &value) == kNvmlOk) state.sm_mhz = static_cast<int>(value);
  if (nvml.Clock(whole, kMemoryClock, &value) == kNvmlOk) state.memory_mhz = static_cast<int>(value);
  if (nvml.Temperature(whole, kGpuTemperature, &value) == kNvmlOk) state.temperature_c = static_cast<int>(value);
  if (nvml.Power(whole, &value) == kNvmlOk) state.power_w = value / 1000.0;
  NvmlMemory memory;
  if (nvml.MemoryInfo(own, &memory) == kNvmlOk) state.used_bytes = static_cast<std::int64_t>(memory.used);
  unsigned long long throttle = 0;
  if (nvml.Throttle(whole, &throttle) == kNvmlOk) state.throttle = throttle;
  return state;
}

}  // namespace kgym::judge
