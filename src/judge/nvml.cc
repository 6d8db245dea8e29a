#include "judge/nvml.h"

#include <dlfcn.h>

#include <algorithm>
#include <charconv>
#include <cstdlib>

#include "base/text.h"

namespace kgym::judge {
namespace {

using Device = struct nvmlDeviceTag*;

struct Memory {
  unsigned long long total = 0, free = 0, used = 0;
};

constexpr int kSmClock = 1, kMemoryClock = 2, kGpuTemperature = 0;
constexpr unsigned kTextSize = 96;

/// NVML's functions, by their documented names.
struct Library {
  int (*Init)() = nullptr;
  const char* (*ErrorString)(int) = nullptr;
  int (*DriverVersion)(char*, unsigned) = nullptr;
  int (*Count)(unsigned*) = nullptr;
  int (*ByIndex)(unsigned, Device*) = nullptr;
  int (*ByUuid)(const char*, Device*) = nullptr;
  int (*Uuid)(Device, char*, unsigned) = nullptr;
  int (*Name)(Device, char*, unsigned) = nullptr;
  int (*MemoryInfo)(Device, Memory*) = nullptr;
  int (*Capability)(Device, int*, int*) = nullptr;
  int (*Clock)(Device, int, unsigned*) = nullptr;
  int (*Temperature)(Device, int, unsigned*) = nullptr;
  int (*Power)(Device, unsigned*) = nullptr;
  int (*Throttle)(Device, unsigned long long*) = nullptr;
  std::string error;
};

Library Load() {
  Library nvml;
  void* handle = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (handle == nullptr) {
    nvml.error = std::string("there is no NVIDIA driver on this machine: ") + dlerror();
    return nvml;
  }
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(handle, name));
    if (function == nullptr && nvml.error.empty()) nvml.error = std::string("libnvidia-ml.so.1 lacks ") + name;
  };
  find("nvmlInit_v2", nvml.Init);
  find("nvmlErrorString", nvml.ErrorString);
  find("nvmlSystemGetDriverVersion", nvml.DriverVersion);
  find("nvmlDeviceGetCount_v2", nvml.Count);
  find("nvmlDeviceGetHandleByIndex_v2", nvml.ByIndex);
  find("nvmlDeviceGetHandleByUUID", nvml.ByUuid);
  find("nvmlDeviceGetUUID", nvml.Uuid);
  find("nvmlDeviceGetName", nvml.Name);
  find("nvmlDeviceGetMemoryInfo", nvml.MemoryInfo);
  find("nvmlDeviceGetCudaComputeCapability", nvml.Capability);
  find("nvmlDeviceGetClockInfo", nvml.Clock);
  find("nvmlDeviceGetTemperature", nvml.Temperature);
  find("nvmlDeviceGetPowerUsage", nvml.Power);
  find("nvmlDeviceGetCurrentClocksThrottleReasons", nvml.Throttle);
  if (!nvml.error.empty()) return nvml;
  if (const int code = nvml.Init(); code != 0) nvml.error = std::string("nvmlInit: ") + nvml.ErrorString(code);
  return nvml;
}

const Library& Nvml() {
  static const Library nvml = Load();
  return nvml;
}

std::string DriverVersion() {
  char text[kTextSize] = {};
  return Nvml().DriverVersion(text, kTextSize) == 0 ? text : "unknown";
}

Result<Card> CardOf(Device device, int index) {
  const Library& nvml = Nvml();
  Card card;
  card.index = index;
  char text[kTextSize] = {};
  if (const int code = nvml.Uuid(device, text, kTextSize); code != 0)
    return Error{Concat("card ", index, ": ", nvml.ErrorString(code))};
  card.uuid = text;
  if (nvml.Name(device, text, kTextSize) == 0) card.name = text;
  Memory memory;
  if (nvml.MemoryInfo(device, &memory) == 0) card.memory_bytes = static_cast<std::int64_t>(memory.total);
  nvml.Capability(device, &card.capability_major, &card.capability_minor);
  card.driver = DriverVersion();
  return card;
}

/// The entries of CUDA_VISIBLE_DEVICES: indices or UUIDs, up to the first that is neither; all indices where it is not
/// set.
std::vector<std::string> VisibleNames(unsigned count) {
  std::vector<std::string> names;
  const char* visible = std::getenv("CUDA_VISIBLE_DEVICES");
  if (visible == nullptr) {
    for (unsigned i = 0; i < count; ++i) names.push_back(std::to_string(i));
    return names;
  }
  for (const std::string& name : Split(visible, ',')) names.emplace_back(Trim(name));
  return names;
}

Result<Device> DeviceOf(const std::string& name) {
  const Library& nvml = Nvml();
  Device device = nullptr;
  unsigned index = 0;
  const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), index);
  const bool is_index = error == std::errc{} && end == name.data() + name.size();
  const int code = is_index ? nvml.ByIndex(index, &device) : nvml.ByUuid(name.c_str(), &device);
  if (code != 0) return Error{Concat("card '", name, "': ", nvml.ErrorString(code))};
  return device;
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

Result<std::vector<Card>> FindCards() {
  const Library& nvml = Nvml();
  if (!nvml.error.empty()) return Error{nvml.error};
  unsigned count = 0;
  if (const int code = nvml.Count(&count); code != 0) return Error{Concat("counting cards: ", nvml.ErrorString(code))};
  std::vector<Card> cards;
  for (const std::string& name : VisibleNames(count)) {
    const Result<Device> device = DeviceOf(name);
    if (!device.ok()) break;  // As CUDA does it: what follows an invalid entry is not visible.
    KGYM_TRY(Card card, CardOf(*device, static_cast<int>(cards.size())));
    cards.push_back(std::move(card));
  }
  return cards;
}

Result<CardState> StateOf(const Card& card) {
  const Library& nvml = Nvml();
  if (!nvml.error.empty()) return Error{nvml.error};
  KGYM_TRY(const Device device, DeviceOf(card.uuid));
  CardState state;
  unsigned value = 0;
  if (nvml.Clock(device, kSmClock, &value) == 0) state.sm_mhz = static_cast<int>(value);
  if (nvml.Clock(device, kMemoryClock, &value) == 0) state.memory_mhz = static_cast<int>(value);
  if (nvml.Temperature(device, kGpuTemperature, &value) == 0) state.temperature_c = static_cast<int>(value);
  if (nvml.Power(device, &value) == 0) state.power_w = value / 1000.0;
  Memory memory;
  if (nvml.MemoryInfo(device, &memory) == 0) state.used_bytes = static_cast<std::int64_t>(memory.used);
  unsigned long long throttle = 0;
  if (nvml.Throttle(device, &throttle) == 0) state.throttle = throttle;
  return state;
}

Result<Card> FindCard(const std::string& device) {
  KGYM_TRY(std::vector<Card> cards, FindCards());
  std::size_t index = 0;
  if (const std::size_t colon = device.find(':'); colon != std::string::npos) {
    const auto [end, error] = std::from_chars(device.data() + colon + 1, device.data() + device.size(), index);
    if (error != std::errc{} || end != device.data() + device.size())
      return Error{Concat("config: judge.device is '", device, "'; cpu, cuda or cuda:N is expected")};
  }
  if (index >= cards.size())
    return Error{Concat("config: judge.device is '", device, "'; this machine shows ", cards.size(), " card(s)")};
  return std::move(cards[index]);
}

}  // namespace kgym::judge
