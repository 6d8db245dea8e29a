// The CUDA driver, reached through dlopen: the probe loads on a machine that has none, and is built without CUDA.
//
// Names and layouts are those of the driver's stable interface (CUDA 11.3 and later). `Driver::Get` loads the library
// once; an error is a sentence. Nothing here makes a context: torch does, and the functions use the current one.
//
// Threads: any, once `Get` has returned.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

namespace kgym::judge::probe {

using CuDevicePtr = std::uint64_t;
using CuHandle = std::uint64_t;  // Of a physical allocation.
using CuEvent = struct CuEventTag*;
using CuModule = struct CuModuleTag*;
using CuFunction = struct CuFunctionTag*;
using CuStream = struct CuStreamTag*;

struct CuLocation {
  int type = 1;  // A device.
  int id = 0;
};

/// CUmemAllocationProp.
struct CuAllocation {
  int type = 1;          // Pinned.
  int handle_types = 1;  // A file descriptor.
  CuLocation location;
  void* win32 = nullptr;
  unsigned char compression = 0, rdma = 0;
  unsigned short usage = 0;
  unsigned char reserved[4] = {};
};

struct CuAccess {
  CuLocation location;
  int flags = 3;  // Read and write.
};

/// CUdevice_attribute, those in use.
enum class CuAttribute : int {
  kMultiprocessors = 16,
  kL2Bytes = 38,
  kThreadsPerMultiprocessor = 39,
  kFileDescriptorHandles = 103,
};

struct Driver {
  int (*GetErrorName)(int, const char**);
  int (*GetErrorString)(int, const char**);
  int (*CtxGetDevice)(int*);
  int (*CtxSynchronize)();
  int (*CtxGetLimit)(std::size_t*, int);
  int (*CtxResetPersistingL2Cache)();
  int (*DeviceGetAttribute)(int*, int, int);
  int (*MemGetInfo)(std::size_t*, std::size_t*);
  int (*MemAlloc)(CuDevicePtr*, std::size_t);
  int (*MemFree)(CuDevicePtr);
  int (*MemsetD8)(CuDevicePtr, unsigned char, std::size_t);
  int (*MemcpyDtoH)(void*, CuDevicePtr, std::size_t);
  int (*MemGetAllocationGranularity)(std::size_t*, const CuAllocation*, int);
  int (*MemCreate)(CuHandle*, std::size_t, const CuAllocation*, unsigned long long);
  int (*MemRelease)(CuHandle);
  int (*MemAddressReserve)(CuDevicePtr*, std::size_t, std::size_t, CuDevicePtr, unsigned long long);
  int (*MemAddressFree)(CuDevicePtr, std::size_t);
  int (*MemMap)(CuDevicePtr, std::size_t, std::size_t, CuHandle, unsigned long long);
  int (*MemUnmap)(CuDevicePtr, std::size_t);
  int (*MemSetAccess)(CuDevicePtr, std::size_t, const CuAccess*, std::size_t);
  int (*MemExportToShareableHandle)(void*, CuHandle, int, unsigned long long);
  int (*MemImportFromShareableHandle)(CuHandle*, void*, int);
  int (*ModuleLoadData)(CuModule*, const void*);
  int (*ModuleGetFunction)(CuFunction*, CuModule, const char*);
  int (*LaunchKernel)(CuFunction, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, unsigned, CuStream,
                      void**, void**);
  int (*EventCreate)(CuEvent*, unsigned);
  int (*EventRecord)(CuEvent, CuStream);
  int (*EventElapsedTime)(float*, CuEvent, CuEvent);
  int (*EventDestroy)(CuEvent);
  int (*EventSynchronize)(CuEvent);

  /// The driver, or null with `error` set.
  static const Driver* Get(std::string& error);

  /// "what: CUDA_ERROR_ILLEGAL_ADDRESS (an illegal memory access was encountered)".
  std::string Describe(const char* what, int code) const;
};

}  // namespace kgym::judge::probe
