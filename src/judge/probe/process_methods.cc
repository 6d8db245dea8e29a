#include "judge/probe/process_methods.h"

#include <malloc.h>

#include <optional>
#include <string>
#include <vector>

#include "judge/sandbox/contain.h"
#include "judge/sandbox/descriptors.h"

namespace kgym::judge::probe {
namespace {

using sandbox::SandboxSpec;

PyObject* TextOrNull(const std::string& text) {
  return PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "replace");
}

// Sets a Python error where there is none to return.
std::optional<SandboxSpec> SpecOf(const char* text, Py_ssize_t size) {
  std::string error;
  std::optional<SandboxSpec> spec = sandbox::ParseSpec({text, static_cast<std::size_t>(size)}, error);
  if (!spec) Fail(error);
  return spec;
}

PyObject* RunStage(PyObject* args, sandbox::Report (*stage)(const SandboxSpec&)) {
  const char* text = nullptr;
  Py_ssize_t size = 0;
  if (!PyArg_ParseTuple(args, "s#", &text, &size)) return nullptr;
  const std::optional<SandboxSpec> spec = SpecOf(text, size);
  if (!spec) return nullptr;
  const sandbox::Report report = stage(*spec);
  const std::string error = sandbox::StrictError(*spec, report);
  return error.empty() ? TextOrNull(report.ToJson()) : Fail(error);
}

PyObject* PrepareZygote(PyObject*, PyObject* args) {
  return Guarded([&] { return RunStage(args, sandbox::PrepareZygote); });
}

PyObject* Confine(PyObject*, PyObject* args) {
  return Guarded([&] { return RunStage(args, sandbox::Confine); });
}

PyObject* ForkHost(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    const char* text = nullptr;
    Py_ssize_t size = 0;
    int control = -1;
    if (!PyArg_ParseTuple(args, "s#i", &text, &size, &control)) return nullptr;
    const std::optional<SandboxSpec> spec = SpecOf(text, size);
    if (!spec) return nullptr;
    const sandbox::ForkHooks hooks = {PyOS_BeforeFork, PyOS_AfterFork_Parent, PyOS_AfterFork_Child};
    const sandbox::Forked forked = sandbox::ForkHost(*spec, control, hooks);
    if (forked.is_host) return Py_BuildValue("(sN)", "host", TextOrNull(forked.report.ToJson()));
    if (!forked.error.empty()) return Fail("fork_host: " + forked.error);
    return Py_BuildValue("(sii)", "zygote", static_cast<int>(forked.supervisor), forked.pidfd);
  });
}

PyObject* Reap(PyObject*, PyObject*) {
  return Guarded([]() -> PyObject* {
    PyObject* list = PyList_New(0);
    if (!list) return nullptr;
    for (const sandbox::Ended& ended : sandbox::Reap()) {
      PyObject* pair = Py_BuildValue("(ii)", static_cast<int>(ended.pid), ended.code);
      const bool added = pair && PyList_Append(list, pair) == 0;
      Py_XDECREF(pair);
      if (added) continue;
      Py_DECREF(list);
      return nullptr;
    }
    return list;
  });
}

PyObject* SetMallocPerturb(PyObject*, PyObject* args) {
  int byte = 0;
  if (!PyArg_ParseTuple(args, "i", &byte)) return nullptr;
  if (byte < 0 || byte > 255) return Fail("set_malloc_perturb: a byte from 0 to 255 is expected");
  if (mallopt(M_PERTURB, byte) == 0) return Fail("set_malloc_perturb: the C library refused");
  Py_RETURN_NONE;
}

PyObject* CloseFdsExcept(PyObject*, PyObject* args) {
  return Guarded([&]() -> PyObject* {
    PyObject* sequence = nullptr;
    if (!PyArg_ParseTuple(args, "O", &sequence)) return nullptr;
    const Py_ssize_t size = PySequence_Size(sequence);
    if (size < 0) return nullptr;
    std::vector<int> keep;
    for (Py_ssize_t i = 0; i < size; ++i) {
      PyObject* item = PySequence_GetItem(sequence, i);
      const long fd = item ? PyLong_AsLong(item) : -1;
      Py_XDECREF(item);
      if (PyErr_Occurred()) return nullptr;
      keep.push_back(static_cast<int>(fd));
    }
    sandbox::CloseAllExcept(std::move(keep));
    Py_RETURN_NONE;
  });
}

}  // namespace

PyMethodDef kProcessMethods[] = {
    {"prepare_zygote", PrepareZygote, METH_VARARGS,
     "prepare_zygote(spec: str) -> str\n\nMakes the calling process a zygote: namespaces and the template root. Call "
     "it before\n"
     "anything is imported that starts a thread. Returns the report as JSON."},
    {"fork_host", ForkHost, METH_VARARGS,
     "fork_host(spec: str, control_fd: int) -> tuple\n\nReturns ('zygote', pid, pidfd) of the supervisor here, and "
     "('host', report)\n"
     "in the new host, where every descriptor but 0, 1, 2 and the spec's keep_fds is closed: detach sockets made "
     "before."},
    {"confine", Confine, METH_VARARGS,
     "confine(spec: str) -> str\n\nLimits, capabilities, Landlock, seccomp, for all threads, for ever. Returns the "
     "report as JSON."},
    {"reap", Reap, METH_NOARGS,
     "reap() -> list[tuple[int, int]]\n\n(pid, exit code or minus signal) of each child that has ended; never waits."},
    {"set_malloc_perturb", SetMallocPerturb, METH_VARARGS,
     "set_malloc_perturb(byte: int) -> None\n\nFills memory with this byte when it is freed, with its complement when "
     "allocated;\n"
     "0 switches it off. So what a kernel leaves unwritten is not last call's answer."},
    {"close_fds_except", CloseFdsExcept, METH_VARARGS,
     "close_fds_except(keep: Sequence[int]) -> None\n\nCloses every other descriptor of the process, 0, 1 and 2 too."},
    {nullptr, nullptr, 0, nullptr},
};

}  // namespace kgym::judge::probe
