// The native probe, Python module `_probe`: the parts of a host that must not be Python.
//
// A new group of methods is a file beside this one that ends in a null-terminated table, and a line in kTables.
//
// Threads: see each group of methods.
#include "judge/probe/gpu_content.h"
#include "judge/probe/gpu_image.h"
#include "judge/probe/gpu_memory.h"
#include "judge/probe/gpu_profile.h"
#include "judge/probe/gpu_timing.h"
#include "judge/probe/process_methods.h"
#include "judge/probe/python_api.h"
#include "judge/probe/timed_loop.h"

namespace kgym::judge::probe {
namespace {

PyMethodDef* const kTables[] = {kProcessMethods,   kTimingMethods,     kGpuContentMethods, kGpuImageMethods,
                                kGpuMemoryMethods, kGpuProfileMethods, kGpuTimingMethods};

int AddMethods(PyObject* module) {
  for (PyMethodDef* table : kTables) {
    if (PyModule_AddFunctions(module, table) != 0) return -1;
  }
  return 0;
}

PyModuleDef_Slot kSlots[] = {{Py_mod_exec, reinterpret_cast<void*>(AddMethods)}, {0, nullptr}};

PyModuleDef kModule = {PyModuleDef_HEAD_INIT,
                       "_probe",
                       "The native part of kgym's zygotes and hosts.",
                       0,
                       nullptr,
                       kSlots,
                       nullptr,
                       nullptr,
                       nullptr};

}  // namespace
}  // namespace kgym::judge::probe

PyMODINIT_FUNC PyInit__probe() { return PyModuleDef_Init(&kgym::judge::probe::kModule); }
