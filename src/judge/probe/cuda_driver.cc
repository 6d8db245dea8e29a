#include "judge/probe/cuda_driver.h"

#include <dlfcn.h>

namespace kgym::judge::probe {
namespace {

struct Loaded {
  Driver driver{};
  std::string error;
};

template <typename Function>
void Find(void* library, const char* name, Function& function, std::string& error) {
  function = reinterpret_cast<Function>(dlsym(library, name));
  if (function == nullptr && error.empty()) error = std::string("libcuda.so.1 lacks ") + name;
}

Loaded Load() {
  Loaded loaded;
  void* library = dlopen("libcuda.so.1", RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) {
    loaded.error = std::string("there is no CUDA driver: ") + dlerror();
    return loaded;
  }
  Driver& d = loaded.driver;
  const auto find = [&](const char* name, auto& function) { Find(library, name, function, loaded.error); };
  find("cuGetErrorName", d.GetErrorName);
  find("cuGetErrorString", d.GetErrorString);
  find("cuCtxGetDevice", d.CtxGetDevice);
  find("cuCtxSynchronize", d.CtxSynchronize);
  find("cuCtxGetLimit", d.CtxGetLimit);
  find("cuCtxResetPersistingL2Cache", d.CtxResetPersistingL2Cache);
  find("cuDeviceGetAttribute", d.DeviceGetAttribute);
  find("cuMemGetInfo_v2", d.MemGetInfo);
  find("cuMemAlloc_v2", d.MemAlloc);
  find("cuMemFree_v2", d.MemFree);
  find("cuMemsetD8_v2", d.MemsetD8);
  find("cuMemcpyDtoH_v2", d.MemcpyDtoH);
  find("cuMemGetAllocationGranularity", d.MemGetAllocationGranularity);
  find("cuMemCreate", d.MemCreate);
  find("cuMemRelease", d.MemRelease);
  find("cuMemAddressReserve", d.MemAddressReserve);
  find("cuMemAddressFree", d.MemAddressFree);
  find("cuMemMap", d.MemMap);
  find("cuMemUnmap", d.MemUnmap);
  find("cuMemSetAccess", d.MemSetAccess);
  find("cuMemExportToShareableHandle", d.MemExportToShareableHandle);
  find("cuMemImportFromShareableHandle", d.MemImportFromShareableHandle);
  find("cuModuleLoadData", d.ModuleLoadData);
  find("cuModuleGetFunction", d.ModuleGetFunction);
  find("cuLaunchKernel", d.LaunchKernel);
  find("cuEventCreate", d.EventCreate);
  find("cuEventRecord", d.EventRecord);
  find("cuEventElapsedTime", d.EventElapsedTime);
  find("cuEventDestroy_v2", d.EventDestroy);
  find("cuEventSynchronize", d.EventSynchronize);
  return loaded;
}

}  // namespace

const Driver* Driver::Get(std::string& error) {
  static const Loaded loaded = Load();
  error = loaded.error;
  return loaded.error.empty() ? &loaded.driver : nullptr;
}

std::string Driver::Describe(const char* what, int code) const {
  const char *name = nullptr, *text = nullptr;
  GetErrorName(code, &name);
  GetErrorString(code, &text);
  return std::string(what) + ": " + (name != nullptr ? name : std::to_string(code).c_str()) + " (" +
         (text != nullptr ? text : "?") + ")";
}

}  // namespace kgym::judge::probe
