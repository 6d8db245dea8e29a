#include "judge/probe/cupti.h"

#include <dlfcn.h>

#include <cstdlib>
#include <cstring>
#include <mutex>

namespace kgym::judge::probe {
namespace {

// CUpti_ActivityKind.
constexpr int kMemcpy = 1, kMemset = 2, kDriverCall = 4, kRuntimeCall = 5, kConcurrentKernel = 10,
              kExternalCorrelation = 39;
// Owners are recorded with the calls that launch, and only where those are recorded too.
constexpr int kKinds[] = {kMemcpy, kMemset, kDriverCall, kRuntimeCall, kConcurrentKernel, kExternalCorrelation};
constexpr int kCustomCorrelation = 3;  // CUPTI_EXTERNAL_CORRELATION_KIND_CUSTOM0
constexpr std::size_t kBufferBytes = 1 << 20, kBufferAlignment = 8;

struct KernelRecord {
  std::int32_t kind;
  std::uint8_t cache_config, shared_memory_config;
  std::uint16_t registers;
  std::int32_t requested, executed;
  std::uint64_t start, end, completed;
  std::uint32_t device, context, stream;
  std::int32_t grid[3], block[3];
  std::int32_t static_shared, dynamic_shared;
  std::uint32_t local_per_thread, local_total, correlation;
  std::int64_t grid_id;
  const char* name;
};
static_assert(offsetof(KernelRecord, start) == 16 && offsetof(KernelRecord, correlation) == 92 &&
              offsetof(KernelRecord, name) == 104);

struct CopyRecord {  // Of a memcpy and of a memset alike, up to here.
  std::int32_t kind;
  std::uint32_t detail;
  std::uint64_t bytes, start, end;
  std::uint32_t device, context, stream, correlation;
};

struct OwnerRecord {
  std::int32_t kind, correlation_kind;
  std::uint64_t owner;
  std::uint32_t correlation;
};

std::mutex guard;
Cupti::Records found;  // Since the last Start.

template <typename Record>
Record As(const std::uint8_t* bytes) {
  Record record;
  std::memcpy(&record, bytes, sizeof record);
  return record;
}

void Note(const std::uint8_t* bytes) {
  const int kind = As<std::int32_t>(bytes);
  if (kind == kConcurrentKernel) {
    const auto record = As<KernelRecord>(bytes);
    found.activities.push_back(
        {record.name != nullptr ? record.name : "?", record.correlation, record.stream, record.start, record.end});
  } else if (kind == kMemcpy || kind == kMemset) {
    const auto record = As<CopyRecord>(bytes);
    found.activities.push_back(
        {kind == kMemcpy ? "memcpy" : "memset", record.correlation, record.stream, record.start, record.end});
  } else if (kind == kExternalCorrelation) {
    const auto record = As<OwnerRecord>(bytes);
    found.owners[record.correlation] = record.owner;
  }
}

void GiveBuffer(std::uint8_t** buffer, std::size_t* size, std::size_t* records) {
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(kBufferAlignment, kBufferBytes));
  *size = *buffer != nullptr ? kBufferBytes : 0;
  *records = 0;  // As many as fit.
}

void TakeBuffer(void*, std::uint32_t, std::uint8_t* buffer, std::size_t, std::size_t valid) {
  std::string error;
  const Cupti* cupti = Cupti::Get(error);
  const std::lock_guard lock(guard);
  std::uint8_t* record = nullptr;
  while (cupti != nullptr && valid > 0 && cupti->next_record_(buffer, valid, &record) == 0) Note(record);
  std::free(buffer);
}

}  // namespace

Cupti* Cupti::Get(std::string& error) {
  static Cupti cupti;
  static const std::string failed = cupti.Load();
  error = failed;
  return failed.empty() ? &cupti : nullptr;
}

std::string Cupti::Load() {
  void* library = nullptr;
  // torch has it loaded already; the others are of a toolkit.
  for (const char* name : {"libcupti.so.13", "libcupti.so.12", "libcupti.so.11.2", "libcupti.so"}) {
    if (library == nullptr) library = dlopen(name, RTLD_NOW | RTLD_LOCAL);
  }
  if (library == nullptr) return "there is no CUPTI: " + std::string(dlerror());
  std::string missing;
  const auto find = [&](const char* name, auto& function) {
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(library, name));
    if (function == nullptr) missing = name;
  };
  find("cuptiActivityRegisterCallbacks", register_callbacks_);
  find("cuptiActivityEnable", enable_);
  find("cuptiActivityDisable", disable_);
  find("cuptiActivityFlushAll", flush_all_);
  find("cuptiActivityPushExternalCorrelationId", push_);
  find("cuptiActivityPopExternalCorrelationId", pop_);
  find("cuptiActivityGetNextRecord", next_record_);
  return missing.empty() ? "" : "CUPTI lacks " + missing;
}

std::string Cupti::Start() {
  {
    const std::lock_guard lock(guard);
    found = {};
  }
  if (register_callbacks_(reinterpret_cast<void*>(GiveBuffer), reinterpret_cast<void*>(TakeBuffer)) != 0)
    return "CUPTI refuses our buffers: another profiler is at work";
  for (const int kind : kKinds) {
    if (enable_(kind) != 0) return "CUPTI cannot record activities of kind " + std::to_string(kind);
  }
  return "";
}

int Cupti::Enter(std::uint64_t owner) { return push_(kCustomCorrelation, owner); }

int Cupti::Leave() {
  std::uint64_t owner = 0;
  return pop_(kCustomCorrelation, &owner);
}

Cupti::Records Cupti::Stop() {
  for (const int kind : kKinds) disable_(kind);
  flush_all_(1);  // Also buffers that are not full.
  const std::lock_guard lock(guard);
  return std::move(found);
}

}  // namespace kgym::judge::probe
