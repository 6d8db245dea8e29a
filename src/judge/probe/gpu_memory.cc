#include "judge/probe/gpu_memory.h"

#include "judge/probe/cuda_driver.h"

namespace kgym::judge::probe {
namespace {

constexpr int kFileDescriptor = 1;  // CU_MEM_HANDLE_TYPE_POSIX_FILE_DESCRIPTOR

const Driver* DriverOrFail() {
  std::string error;
  const Driver* driver = Driver::Get(error);
  if (driver == nullptr) Fail(error);
  return driver;
}

/// Reserves addresses and maps the memory there for reading and writing; 0 with `error` set where that fails.
CuDevicePtr Map(const Driver& driver, CuHandle handle, std::size_t size, int device, std::string& error) {
  CuDevicePtr address = 0;
  if (int code = driver.MemAddressReserve(&address, size, 0, 0, 0); code != 0) {
    error = driver.Describe("cuMemAddressReserve", code);
    return 0;
  }
  int code = driver.MemMap(address, size, 0, handle, 0);
  const char* what = "cuMemMap";
  if (code == 0) {
    const CuAccess access{{1, device}, 3};
    code = driver.MemSetAccess(address, size, &access, 1);
    what = "cuMemSetAccess";
    if (code == 0) return address;
    driver.MemUnmap(address, size);
  }
  driver.MemAddressFree(address, size);
  error = driver.Describe(what, code);
  return 0;
}

PyObject* Create(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    unsigned long long bytes = 0;
    if (!PyArg_ParseTuple(args, "K:gpu_memory_create", &bytes)) return nullptr;
    const Driver* driver = DriverOrFail();
    if (driver == nullptr) return nullptr;
    int device = 0;
    if (int code = driver->CtxGetDevice(&device); code != 0) return Fail(driver->Describe("cuCtxGetDevice", code));
    CuAllocation wanted;
    wanted.location.id = device;
    std::size_t unit = 0;
    if (int code = driver->MemGetAllocationGranularity(&unit, &wanted, 0); code != 0)
      return Fail(driver->Describe("cuMemGetAllocationGranularity", code));
    const std::size_t size = (bytes + unit - 1) / unit * unit;
    CuHandle handle = 0;
    if (int code = driver->MemCreate(&handle, size, &wanted, 0); code != 0)
      return Fail(driver->Describe("cuMemCreate", code));
    int fd = -1;
    std::string error;
    const int exported = driver->MemExportToShareableHandle(&fd, handle, kFileDescriptor, 0);
    if (exported != 0) error = driver->Describe("cuMemExportToShareableHandle", exported);
    const CuDevicePtr address = error.empty() ? Map(*driver, handle, size, device, error) : 0;
    driver->MemRelease(handle);  // The mapping and the descriptor keep it.
    if (!error.empty()) return Fail(error);
    return Py_BuildValue("(KKi)", address, static_cast<unsigned long long>(size), fd);
  });
}

PyObject* Open(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    int fd = -1;
    unsigned long long size = 0;
    if (!PyArg_ParseTuple(args, "iK:gpu_memory_open", &fd, &size)) return nullptr;
    const Driver* driver = DriverOrFail();
    if (driver == nullptr) return nullptr;
    int device = 0;
    if (int code = driver->CtxGetDevice(&device); code != 0) return Fail(driver->Describe("cuCtxGetDevice", code));
    CuHandle handle = 0;
    void* descriptor = reinterpret_cast<void*>(static_cast<std::intptr_t>(fd));
    if (int code = driver->MemImportFromShareableHandle(&handle, descriptor, kFileDescriptor); code != 0)
      return Fail(driver->Describe("cuMemImportFromShareableHandle", code));
    std::string error;
    const CuDevicePtr address = Map(*driver, handle, size, device, error);
    driver->MemRelease(handle);
    return error.empty() ? PyLong_FromUnsignedLongLong(address) : Fail(error);
  });
}

PyObject* Close(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    unsigned long long address = 0, size = 0;
    if (!PyArg_ParseTuple(args, "KK:gpu_memory_close", &address, &size)) return nullptr;
    const Driver* driver = DriverOrFail();
    if (driver == nullptr) return nullptr;
    if (int code = driver->MemUnmap(address, size); code != 0) return Fail(driver->Describe("cuMemUnmap", code));
    if (int code = driver->MemAddressFree(address, size); code != 0)
      return Fail(driver->Describe("cuMemAddressFree", code));
    Py_RETURN_NONE;
  });
}

PyObject* Info(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    const Driver* driver = DriverOrFail();
    if (driver == nullptr) return nullptr;
    std::size_t free = 0, total = 0;
    if (int code = driver->MemGetInfo(&free, &total); code != 0) return Fail(driver->Describe("cuMemGetInfo", code));
    return Py_BuildValue("(KK)", static_cast<unsigned long long>(free), static_cast<unsigned long long>(total));
  });
}

PyObject* Synchronize(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    const Driver* driver = DriverOrFail();
    if (driver == nullptr) return nullptr;
    PyThreadState* state = PyEval_SaveThread();  // Other threads of a submission may have to go on for this to end.
    const int code = driver->CtxSynchronize();
    PyEval_RestoreThread(state);
    if (code != 0) return Fail(driver->Describe("waiting for the GPU", code));
    Py_RETURN_NONE;
  });
}

}  // namespace

PyMethodDef kGpuMemoryMethods[] = {
    {"gpu_memory_create", Create, METH_VARARGS,
     "gpu_memory_create(bytes: int) -> tuple[int, int, int]\n\n(address, size, fd) of "
     "memory that another process may map."},
    {"gpu_memory_open", Open, METH_VARARGS,
     "gpu_memory_open(fd: int, size: int) -> int\n\nThe address of another process's memory."},
    {"gpu_memory_close", Close, METH_VARARGS, "gpu_memory_close(address: int, size: int) -> None"},
    {"gpu_memory_info", Info, METH_NOARGS, "gpu_memory_info() -> tuple[int, int]\n\n(free, total) bytes of the card."},
    {"gpu_synchronize", Synchronize, METH_NOARGS, "gpu_synchronize() -> None\n\nWaits for every stream."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
