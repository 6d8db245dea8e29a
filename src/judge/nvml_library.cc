#include "judge/nvml_library.h"

#include <dlfcn.h>

namespace kgym::judge {
namespace {

template <class Function>
void Find(void* library, const char* name, Function& function) {
  function = reinterpret_cast<Function>(dlsym(library, name));
}

void FindOptional(void* library, NvmlLibrary& nvml) {
  Find(library, "nvmlDeviceGetMigMode", nvml.MigMode);
  Find(library, "nvmlDeviceGetMaxMigDeviceCount", nvml.MigCount);
  Find(library, "nvmlDeviceGetMigDeviceHandleByIndex", nvml.MigByIndex);
  Find(library, "nvmlDeviceGetDeviceHandleFromMigDeviceHandle", nvml.MigParent);
  Find(library, "nvmlDeviceGetGpuInstanceId", nvml.GpuInstance);
  Find(library, "nvmlDeviceGetTotalEccErrors", nvml.EccErrors);
  Find(library, "nvmlEventSetCreate", nvml.EventSetCreate);
  Find(library, "nvmlEventSetFree", nvml.EventSetFree);
  Find(library, "nvmlEventSetWait_v2", nvml.EventSetWait);
  Find(library, "nvmlDeviceGetSupportedEventTypes", nvml.SupportedEvents);
  Find(library, "nvmlDeviceRegisterEvents", nvml.RegisterEvents);
}

NvmlLibrary Load() {
  NvmlLibrary nvml;
  void* library = dlopen("libnvidia-ml.so.1", RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    nvml.error = std::string("there is no NVIDIA driver on this machine: ") + dlerror();
    return nvml;
  }
  const auto find = [&](const char* name, auto& function) {
    Find(library, name, function);
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
  FindOptional(library, nvml);
  if (!nvml.error.empty()) return nvml;
  if (const int code = nvml.Init(); code != kNvmlOk) nvml.error = std::string("nvmlInit: ") + nvml.ErrorString(code);
  return nvml;
}

}  // namespace

const NvmlLibrary& Nvml() {
  static const NvmlLibrary nvml = Load();
  return nvml;
}

}  // namespace kgym::judge
