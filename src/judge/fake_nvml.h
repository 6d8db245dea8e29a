// For tests: cards that are not there. They report what a test puts into them.
//
// NVML's functions take no state of the caller's, so one machine of fake cards can be there at a time.
//
// Threads: one at a time.
#pragma once

#include <algorithm>
#include <cstring>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "judge/nvml_library.h"

namespace kgym::judge {

struct FakeCard {
  std::string uuid;
  std::string name = "NVIDIA H100 80GB HBM3";
  unsigned long long memory_bytes = 80ULL << 30;
  bool mig = false;                                  // Cut up.
  std::vector<std::unique_ptr<FakeCard>> instances;  // Then.
  FakeCard* parent = nullptr;
  unsigned gpu_instance = kNvmlNoInstance;
  unsigned mhz = 1980;
  unsigned long long corrected = 0, uncorrected = 0;

  NvmlDevice handle() { return reinterpret_cast<NvmlDevice>(this); }
  static FakeCard& Of(NvmlDevice device) { return *reinterpret_cast<FakeCard*>(device); }

  FakeCard& Cut(const std::string& instance_uuid, unsigned id, unsigned long long bytes) {
    mig = true;
    auto instance = std::make_unique<FakeCard>();
    instance->uuid = instance_uuid;
    instance->name = name + " MIG 1g.10gb";
    instance->memory_bytes = bytes;
    instance->parent = this;
    instance->gpu_instance = id;
    instances.push_back(std::move(instance));
    return *instances.back();
  }
};

class FakeNvml {
 public:
  FakeNvml() {
    machine_ = this;
    Cards();
    Instances();
    Events();
  }
  ~FakeNvml() { machine_ = nullptr; }
  FakeNvml(const FakeNvml&) = delete;
  FakeNvml& operator=(const FakeNvml&) = delete;

  FakeCard& Add(const std::string& uuid) {
    cards.push_back(std::make_unique<FakeCard>());
    cards.back()->uuid = uuid;
    return *cards.back();
  }

  void Report(FakeCard& card, unsigned long long type, unsigned long long data, unsigned instance = kNvmlNoInstance) {
    events.push_back({card.handle(), type, data, instance, kNvmlNoInstance});
  }

  std::vector<std::unique_ptr<FakeCard>> cards;
  std::deque<NvmlEvent> events;
  unsigned long long supported = kNvmlXid | kNvmlDoubleBitError;
  bool lost = false;
  NvmlDevice registered = nullptr;
  int event_sets = 0;       // Made and not freed.
  unsigned longest_ms = 0;  // That anybody was ready to wait for an event.
  NvmlLibrary library;

 private:
  static constexpr int kInvalid = 2, kNotSupported = 3, kNotFound = 6;

  static int Copy(const std::string& text, char* to, unsigned size) {
    std::strncpy(to, text.c_str(), size - 1);
    return kNvmlOk;
  }

  static FakeCard* Find(const std::string& uuid) {
    for (const auto& card : machine_->cards) {
      if (card->uuid == uuid) return card.get();
      for (const auto& instance : card->instances) {
        if (instance->uuid == uuid) return instance.get();
      }
    }
    return nullptr;
  }

  void Cards() {
    library.ErrorString = [](int code) { return code == kNvmlLost ? "GPU is lost" : "Not Found"; };
    library.DriverVersion = [](char* to, unsigned size) { return Copy("580.65.06", to, size); };
    library.Count = [](unsigned* count) {
      *count = static_cast<unsigned>(machine_->cards.size());
      return kNvmlOk;
    };
    library.ByIndex = [](unsigned index, NvmlDevice* device) {
      if (index >= machine_->cards.size()) return kInvalid;
      *device = machine_->cards[index]->handle();
      return kNvmlOk;
    };
    library.ByUuid = [](const char* uuid, NvmlDevice* device) {
      FakeCard* card = Find(uuid);
      if (card != nullptr) *device = card->handle();
      return card != nullptr ? kNvmlOk : kNotFound;
    };
    library.Uuid = [](NvmlDevice device, char* to, unsigned size) { return Copy(FakeCard::Of(device).uuid, to, size); };
    library.Name = [](NvmlDevice device, char* to, unsigned size) { return Copy(FakeCard::Of(device).name, to, size); };
    library.MemoryInfo = [](NvmlDevice device, NvmlMemory* memory) {
      *memory = {FakeCard::Of(device).memory_bytes, 0, FakeCard::Of(device).memory_bytes / 4};
      return kNvmlOk;
    };
    // As on a machine: of an instance NVML tells no clocks, and what it can do only by way of its card.
    library.Capability = [](NvmlDevice device, int* major, int* minor) {
      if (FakeCard::Of(device).parent != nullptr) return kNotSupported;
      *major = 9, *minor = 0;
      return kNvmlOk;
    };
    const auto clock = [](NvmlDevice device, int, unsigned* value) {
      if (FakeCard::Of(device).parent != nullptr) return kNotSupported;
      *value = FakeCard::Of(device).mhz;
      return kNvmlOk;
    };
    library.Clock = clock;
    library.Temperature = clock;
    library.Power = [](NvmlDevice, unsigned*) { return kNotSupported; };
    library.Throttle = [](NvmlDevice, unsigned long long*) { return kNotSupported; };
  }

  void Instances() {
    library.MigMode = [](NvmlDevice device, unsigned* current, unsigned* pending) {
      if (FakeCard::Of(device).parent != nullptr) return kInvalid;
      *current = *pending = FakeCard::Of(device).mig ? 1 : 0;
      return kNvmlOk;
    };
    library.MigCount = [](NvmlDevice, unsigned* most) {
      *most = 7;
      return kNvmlOk;
    };
    library.MigByIndex = [](NvmlDevice card, unsigned index, NvmlDevice* instance) {
      const auto& instances = FakeCard::Of(card).instances;
      if (index >= instances.size()) return kNotFound;
      *instance = instances[index]->handle();
      return kNvmlOk;
    };
    library.MigParent = [](NvmlDevice instance, NvmlDevice* card) {
      if (FakeCard::Of(instance).parent == nullptr) return kInvalid;
      *card = FakeCard::Of(instance).parent->handle();
      return kNvmlOk;
    };
    library.GpuInstance = [](NvmlDevice instance, unsigned* id) {
      *id = FakeCard::Of(instance).gpu_instance;
      return kNvmlOk;
    };
  }

  void Events() {
    library.EccErrors = [](NvmlDevice device, int uncorrected, int, unsigned long long* count) {
      if (machine_->lost) return kNvmlLost;
      *count = uncorrected != 0 ? FakeCard::Of(device).uncorrected : FakeCard::Of(device).corrected;
      return kNvmlOk;
    };
    library.EventSetCreate = [](NvmlEventSet* set) {
      *set = reinterpret_cast<NvmlEventSet>(machine_);
      ++machine_->event_sets;
      return kNvmlOk;
    };
    library.EventSetFree = [](NvmlEventSet) {
      --machine_->event_sets;
      return kNvmlOk;
    };
    library.SupportedEvents = [](NvmlDevice, unsigned long long* types) {
      *types = machine_->supported;
      return kNvmlOk;
    };
    library.RegisterEvents = [](NvmlDevice device, unsigned long long, NvmlEventSet) {
      machine_->registered = device;
      return kNvmlOk;
    };
    library.EventSetWait = [](NvmlEventSet, NvmlEvent* event, unsigned timeout_ms) {
      machine_->longest_ms = std::max(machine_->longest_ms, timeout_ms);
      if (machine_->lost) return kNvmlLost;
      if (machine_->events.empty()) return kNvmlTimeout;
      *event = machine_->events.front();
      machine_->events.pop_front();
      return kNvmlOk;
    };
  }

  static inline FakeNvml* machine_ = nullptr;
};

}  // namespace kgym::judge
