#include "judge/probe/timed_loop.h"

#include "judge/probe/monotonic.h"

namespace kgym::judge::probe {
namespace {

/// One call and its emission as a tuple of two times, or null with a Python exception set.
PyObject* TimeOne(PyObject* forward, PyObject* arguments, PyObject* emit, Py_ssize_t index) {
  const long long start = NowNs();
  PyObject* output = PyObject_Call(forward, arguments, nullptr);
  const long long called = NowNs();
  if (output == nullptr) return nullptr;
  PyObject* emitted = PyObject_CallFunction(emit, "nO", index, output);
  const long long end = NowNs();
  Py_DECREF(output);
  if (emitted == nullptr) return nullptr;
  Py_DECREF(emitted);
  return Py_BuildValue("(LL)", called - start, end - called);
}

PyObject* RunBatch(PyObject*, PyObject* args) {
  PyObject *forward = nullptr, *calls = nullptr, *emit = nullptr;
  if (!PyArg_ParseTuple(args, "OOO:run_batch", &forward, &calls, &emit)) return nullptr;
  const Py_ssize_t count = PyList_Size(calls);
  if (count < 0) return nullptr;
  PyObject* spans = PyList_New(count);
  if (spans == nullptr) return nullptr;
  for (Py_ssize_t i = 0; i < count; ++i) {
    PyObject* span = TimeOne(forward, PyList_GetItem(calls, i), emit, i);
    if (span == nullptr || PyList_SetItem(spans, i, span) != 0) {
      Py_DECREF(spans);
      return nullptr;
    }
  }
  return spans;
}

}  // namespace

PyMethodDef kTimingMethods[] = {
    {"run_batch", RunBatch, METH_VARARGS,
     "run_batch(forward, calls, emit) -> [(call_ns, emit_ns), ...]: time each call and its emission."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
