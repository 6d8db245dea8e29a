// NVIDIA's management library (NVML) as a table of its functions, by their documented names and layouts: loaded with
// dlopen when first asked for, so that a machine without a driver needs none; a test fills in its own.
//
// NVML is only ever asked here: nothing sets a clock, a mode or a MIG instance.
//
// Threads: any; NVML locks itself.
#pragma once

#include <string>

namespace kgym::judge {

using NvmlDevice = struct NvmlDeviceTag*;  // A card, or an instance of one that is cut up (MIG).
using NvmlEventSet = struct NvmlEventSetTag*;

struct NvmlMemory {
  unsigned long long total = 0, free = 0, used = 0;
};

/// nvmlEventData_t, as nvmlEventSetWait_v2 fills it in.
struct NvmlEvent {
  NvmlDevice device = nullptr;
  unsigned long long type = 0;
  unsigned long long data = 0;  // Of kNvmlXid: the code.
  unsigned gpu_instance = 0, compute_instance = 0;
};

inline constexpr int kNvmlOk = 0, kNvmlTimeout = 10, kNvmlLost = 15;
inline constexpr unsigned long long kNvmlDoubleBitError = 0x2, kNvmlXid = 0x8;  // Types of events.
inline constexpr unsigned kNvmlNoInstance = 0xFFFFFFFF;
inline constexpr unsigned kNvmlTextSize = 96;

struct NvmlLibrary {
  int (*Init)() = nullptr;
  const char* (*ErrorString)(int) = nullptr;
  int (*DriverVersion)(char*, unsigned) = nullptr;
  int (*Count)(unsigned*) = nullptr;
  int (*ByIndex)(unsigned, NvmlDevice*) = nullptr;
  int (*ByUuid)(const char*, NvmlDevice*) = nullptr;
  int (*Uuid)(NvmlDevice, char*, unsigned) = nullptr;
  int (*Name)(NvmlDevice, char*, unsigned) = nullptr;
  int (*MemoryInfo)(NvmlDevice, NvmlMemory*) = nullptr;
  int (*Capability)(NvmlDevice, int* major, int* minor) = nullptr;
  int (*Clock)(NvmlDevice, int which, unsigned* mhz) = nullptr;
  int (*Temperature)(NvmlDevice, int sensor, unsigned* celsius) = nullptr;
  int (*Power)(NvmlDevice, unsigned* milliwatts) = nullptr;
  int (*Throttle)(NvmlDevice, unsigned long long* reasons) = nullptr;

  // Null where the driver is too old to have them.
  int (*MigMode)(NvmlDevice, unsigned* current, unsigned* pending) = nullptr;
  int (*MigCount)(NvmlDevice, unsigned* most) = nullptr;
  int (*MigByIndex)(NvmlDevice card, unsigned, NvmlDevice* instance) = nullptr;
  int (*MigParent)(NvmlDevice instance, NvmlDevice* card) = nullptr;
  int (*GpuInstance)(NvmlDevice instance, unsigned* id) = nullptr;
  int (*EccErrors)(NvmlDevice, int uncorrected, int counter, unsigned long long*) = nullptr;
  int (*EventSetCreate)(NvmlEventSet*) = nullptr;
  int (*EventSetFree)(NvmlEventSet) = nullptr;
  int (*EventSetWait)(NvmlEventSet, NvmlEvent*, unsigned timeout_ms) = nullptr;
  int (*SupportedEvents)(NvmlDevice, unsigned long long* types) = nullptr;
  int (*RegisterEvents)(NvmlDevice, unsigned long long types, NvmlEventSet) = nullptr;

  std::string error;  // Why it cannot be used; then nothing above may be called.
};

/// The machine's.
const NvmlLibrary& Nvml();

}  // namespace kgym::judge
