#include "judge/probe/gpu_profile.h"

#include <algorithm>

#include "judge/probe/cuda_driver.h"
#include "judge/probe/cupti.h"

namespace kgym::judge::probe {
namespace {

Cupti* CuptiOrFail() {
  std::string error;
  Cupti* cupti = Cupti::Get(error);
  if (cupti == nullptr) Fail(error);
  return cupti;
}

PyObject* Start(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    Cupti* cupti = CuptiOrFail();
    if (cupti == nullptr) return nullptr;
    if (const std::string error = cupti->Start(); !error.empty()) return Fail(error);
    Py_RETURN_NONE;
  });
}

PyObject* Enter(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    long long owner = 0;
    if (!PyArg_ParseTuple(args, "L:gpu_profile_enter", &owner)) return nullptr;
    Cupti* cupti = CuptiOrFail();
    if (cupti == nullptr) return nullptr;
    if (cupti->Enter(static_cast<std::uint64_t>(owner)) != 0) return Fail("CUPTI does not take an owner");
    Py_RETURN_NONE;
  });
}

PyObject* Leave(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    Cupti* cupti = CuptiOrFail();
    if (cupti == nullptr) return nullptr;
    if (cupti->Leave() != 0) return Fail("gpu_profile_leave: nothing was entered");
    Py_RETURN_NONE;
  });
}

PyObject* Rows(Cupti::Records records) {
  std::ranges::sort(records.activities, {}, &GpuActivity::start_ns);
  PyObject* list = PyList_New(0);
  for (const GpuActivity& one : records.activities) {
    if (list == nullptr) return nullptr;
    const auto owner = records.owners.find(one.correlation);
    PyObject* row = Py_BuildValue(
        "(sLIKK)", one.name.c_str(), owner == records.owners.end() ? -1LL : static_cast<long long>(owner->second),
        one.stream, static_cast<unsigned long long>(one.start_ns), static_cast<unsigned long long>(one.end_ns));
    const bool added = row != nullptr && PyList_Append(list, row) == 0;
    Py_XDECREF(row);
    if (added) continue;
    Py_DECREF(list);
    return nullptr;
  }
  return list;
}

PyObject* Stop(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    Cupti* cupti = CuptiOrFail();
    std::string error;
    const Driver* driver = Driver::Get(error);
    if (cupti == nullptr) return nullptr;
    if (driver == nullptr) return Fail(error);
    const int code = driver->CtxSynchronize();
    Cupti::Records records = cupti->Stop();
    if (code != 0) return Fail(driver->Describe("waiting for the GPU", code));
    return Rows(std::move(records));
  });
}

}  // namespace

PyMethodDef kGpuProfileMethods[] = {
    {"gpu_profile_start", Start, METH_NOARGS, "gpu_profile_start() -> None"},
    {"gpu_profile_enter", Enter, METH_VARARGS,
     "gpu_profile_enter(owner: int) -> None\n\nThis thread's launches are for this owner, until gpu_profile_leave."},
    {"gpu_profile_leave", Leave, METH_NOARGS, "gpu_profile_leave() -> None"},
    {"gpu_profile_stop", Stop, METH_NOARGS,
     "gpu_profile_stop() -> list[tuple]\n\n(name, owner, stream, start_ns, end_ns) of each kernel, copy and fill."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
