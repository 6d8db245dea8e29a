// Python's stable interface as of 3.10, so that one build of the probe loads in every later Python.
//
// The build defines Py_LIMITED_API: what is not in the limited interface (buffers, for one) does not compile.
//
// Threads: hold the GIL, as everywhere in Python's C interface.
#pragma once

#define PY_SSIZE_T_CLEAN
#include <Python.h>

#ifndef Py_LIMITED_API
#error "The probe is built against the stable interface: define Py_LIMITED_API."
#endif

#include <exception>
#include <string>

namespace kgym::judge::probe {

/// Sets a RuntimeError with this sentence; null, for `return`.
inline PyObject* Fail(const std::string& sentence) {
  PyErr_SetString(PyExc_RuntimeError, sentence.c_str());
  return nullptr;
}

/// Runs `body`, which returns a new reference or null with a Python error set. A C++ exception becomes a RuntimeError:
/// none may unwind into the interpreter.
template <typename Body>
PyObject* Guarded(Body&& body) noexcept {
  try {
    return body();
  } catch (const std::exception& error) {
    PyErr_Format(PyExc_RuntimeError, "probe: %s", error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "probe: an exception of unknown type");
  }
  return nullptr;
}

}  // namespace kgym::judge::probe
