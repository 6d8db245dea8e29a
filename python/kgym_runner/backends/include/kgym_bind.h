// Python bindings for plain functions, without pybind11 (which takes five seconds to compile).
//
// KGYM_MODULE(name, KGYM_FUNCTION(f, "what it does"), ...) defines the module. Arguments and results: tensors, numbers,
// bools, strings, and optionals, vectors and tuples of them. A type outside this list does not compile, and then the
// builder takes pybind11. As there, the GIL stays held, a wrong type is a TypeError, and C++ exceptions arrive as torch
// translates them; arguments are positional only.
#pragma once

#include <Python.h>

#include <ATen/core/Tensor.h>

#include <exception>
#include <optional>
#include <stdexcept>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

// torch's own, by the names they have in any release; weak, for a name may be missing in one.
extern PyObject* THPVariableClass;
PyObject* THPVariable_Wrap(const at::TensorBase& tensor) __attribute__((weak));
PyObject* THPVariable_Wrap(at::TensorBase tensor) __attribute__((weak));
namespace torch {
void translate_exception_to_python(const std::exception_ptr& error) __attribute__((weak));
}

namespace kgym_bind {

struct WrongType {};    // The argument has another type: the caller names it.
struct PythonError {};  // A Python exception is set.

inline PyObject* Checked(PyObject* object) {
  if (object == nullptr) throw PythonError{};
  return object;
}

template <class T, class = void>
struct Cast;  // Undefined for what this header does not carry.

template <>
struct Cast<at::Tensor> {
  static at::Tensor In(PyObject* object) {
    if (PyObject_IsInstance(object, THPVariableClass) != 1) throw WrongType{};
    static PyObject* const kPointer = PyUnicode_InternFromString("_cdata");
    PyObject* address = Checked(PyObject_GetAttr(object, kPointer));
    auto* impl = static_cast<c10::TensorImpl*>(PyLong_AsVoidPtr(address));
    Py_DECREF(address);
    return at::Tensor(c10::intrusive_ptr<c10::TensorImpl, c10::UndefinedTensorImpl>::reclaim_copy(impl));
  }
  static PyObject* Out(const at::Tensor& tensor) {
    if (!tensor.defined()) Py_RETURN_NONE;
    constexpr auto kByReference = static_cast<PyObject* (*)(const at::TensorBase&)>(THPVariable_Wrap);
    constexpr auto kByValue = static_cast<PyObject* (*)(at::TensorBase)>(THPVariable_Wrap);
    return kByReference != nullptr ? kByReference(tensor) : kByValue(tensor);
  }
};

template <>
struct Cast<bool> {
  static bool In(PyObject* object) {
    if (!PyBool_Check(object)) throw WrongType{};
    return object == Py_True;
  }
  static PyObject* Out(bool value) { return PyBool_FromLong(value); }
};

template <class T>
struct Cast<T, std::enable_if_t<std::is_integral_v<T> && !std::is_same_v<T, bool> && !std::is_same_v<T, char>>> {
  static T In(PyObject* object) {
    if (PyFloat_Check(object)) throw WrongType{};
    PyObject* number = PyNumber_Index(object);
    if (number == nullptr) {
      PyErr_Clear();
      throw WrongType{};
    }
    int overflow = 0;
    const long long value = PyLong_AsLongLongAndOverflow(number, &overflow);
    Py_DECREF(number);
    const T narrowed = static_cast<T>(value);
    const bool fits = static_cast<long long>(narrowed) == value && (narrowed < T{}) == (value < 0);
    if (overflow != 0 || !fits) throw WrongType{};
    return narrowed;
  }
  static PyObject* Out(T value) {
    if constexpr (std::is_unsigned_v<T>)
      return PyLong_FromUnsignedLongLong(value);
    else
      return PyLong_FromLongLong(value);
  }
};

template <class T>
struct Cast<T, std::enable_if_t<std::is_floating_point_v<T>>> {
  static T In(PyObject* object) {
    const double value = PyFloat_AsDouble(object);
    if (value == -1.0 && PyErr_Occurred() != nullptr) {
      PyErr_Clear();
      throw WrongType{};
    }
    return static_cast<T>(value);
  }
  static PyObject* Out(T value) { return PyFloat_FromDouble(value); }
};

template <>
struct Cast<std::string> {
  static std::string In(PyObject* object) {
    if (!PyUnicode_Check(object)) throw WrongType{};
    Py_ssize_t size = 0;
    const char* text = PyUnicode_AsUTF8AndSize(object, &size);
    if (text == nullptr) throw PythonError{};
    return std::string(text, static_cast<size_t>(size));
  }
  static PyObject* Out(const std::string& text) {
    return PyUnicode_FromStringAndSize(text.data(), static_cast<Py_ssize_t>(text.size()));
  }
};

template <class T>
struct Cast<std::optional<T>> {
  static std::optional<T> In(PyObject* object) {
    if (object == Py_None) return std::nullopt;
    return Cast<T>::In(object);
  }
  static PyObject* Out(const std::optional<T>& value) {
    if (!value.has_value()) Py_RETURN_NONE;
    return Cast<T>::Out(*value);
  }
};

template <class T>
struct Cast<std::vector<T>> {
  static std::vector<T> In(PyObject* object) {
    if (!PySequence_Check(object) || PyUnicode_Check(object) || PyBytes_Check(object)) throw WrongType{};
    PyObject* items = Checked(PySequence_Tuple(object));
    std::vector<T> values;
    try {
      const Py_ssize_t count = PyTuple_GET_SIZE(items);
      for (Py_ssize_t i = 0; i < count; ++i) values.push_back(Cast<T>::In(PyTuple_GET_ITEM(items, i)));
    } catch (...) {
      Py_DECREF(items);
      throw;
    }
    Py_DECREF(items);
    return values;
  }
  static PyObject* Out(const std::vector<T>& values) {
    PyObject* list = Checked(PyList_New(static_cast<Py_ssize_t>(values.size())));
    Py_ssize_t i = 0;
    for (const auto& value : values) PyList_SET_ITEM(list, i++, Checked(Cast<T>::Out(value)));
    return list;
  }
};

template <>
struct Cast<at::IntArrayRef> : Cast<std::vector<int64_t>> {};  // An argument's vector outlives the call.

template <class... T>
struct Cast<std::tuple<T...>> {
  static PyObject* Out(const std::tuple<T...>& values) {
    PyObject* tuple = Checked(PyTuple_New(sizeof...(T)));
    Fill(tuple, values, std::index_sequence_for<T...>{});
    return tuple;
  }
  template <size_t... I>
  static void Fill(PyObject* tuple, const std::tuple<T...>& values, std::index_sequence<I...>) {
    (PyTuple_SET_ITEM(tuple, I, Checked(Cast<std::decay_t<T>>::Out(std::get<I>(values)))), ...);
  }
};

template <class A, class B>
struct Cast<std::pair<A, B>> {
  static PyObject* Out(const std::pair<A, B>& values) {
    return Cast<std::tuple<A, B>>::Out({values.first, values.second});
  }
};

template <class T>
auto Argument(const char* function, PyObject* const* given, size_t i) {
  try {
    return Cast<std::decay_t<T>>::In(given[i]);
  } catch (const WrongType&) {
    PyErr_Format(PyExc_TypeError, "%s(): incompatible function arguments: argument %zu is a %.100s", function, i + 1,
                 Py_TYPE(given[i])->tp_name);
    throw PythonError{};
  }
}

template <class R, class... A, size_t... I>
PyObject* Invoke(R (*function)(A...), const char* name, PyObject* const* given, std::index_sequence<I...>) {
  auto values = std::make_tuple(Argument<A>(name, given, I)...);
  if constexpr (std::is_void_v<R>) {
    function(static_cast<A>(std::get<I>(values))...);
    Py_RETURN_NONE;
  } else {
    return Cast<std::decay_t<R>>::Out(function(static_cast<A>(std::get<I>(values))...));
  }
}

inline void Translate() {
  if (torch::translate_exception_to_python != nullptr) {
    torch::translate_exception_to_python(std::current_exception());
    return;
  }
  try {
    throw;
  } catch (const std::exception& error) {
    PyErr_SetString(PyExc_RuntimeError, error.what());
  } catch (...) {
    PyErr_SetString(PyExc_RuntimeError, "unknown C++ exception");
  }
}

template <class R, class... A>
PyObject* Enter(R (*function)(A...), const char* name, PyObject* const* given, Py_ssize_t count) {
  if (count != static_cast<Py_ssize_t>(sizeof...(A))) {
    PyErr_Format(PyExc_TypeError, "%s(): incompatible function arguments: %zu expected, %zd given", name, sizeof...(A),
                 count);
    return nullptr;
  }
  try {
    return Invoke(function, name, given, std::index_sequence_for<A...>{});
  } catch (const PythonError&) {
  } catch (...) {
    Translate();
  }
  return nullptr;
}

}  // namespace kgym_bind

#define KGYM_FUNCTION(function, doc)                                                                             \
  PyMethodDef {                                                                                                  \
#function,                                                                                                   \
        reinterpret_cast < PyCFunction>                                                                          \
            (reinterpret_cast <void (*)()>(static_cast <PyObject* (*)(PyObject*, PyObject* const*, Py_ssize_t)>( \
                [](PyObject*, PyObject* const* given, Py_ssize_t count) -> PyObject* {                           \
                  return kgym_bind::Enter(&function, #function, given, count);                                   \
                }))),                                                                                            \
        METH_FASTCALL, doc                                                                                       \
  }

#define KGYM_NAME2(a, b) a##b
#define KGYM_NAME(a, b) KGYM_NAME2(a, b)
#define KGYM_TEXT2(a) #a
#define KGYM_TEXT(a) KGYM_TEXT2(a)

#define KGYM_MODULE(name, ...)                                                                                  \
  static PyMethodDef kgym_functions[] = {__VA_ARGS__, {nullptr, nullptr, 0, nullptr}};                          \
  static PyModuleDef kgym_module = {                                                                            \
      PyModuleDef_HEAD_INIT, KGYM_TEXT(name), nullptr, -1, kgym_functions, nullptr, nullptr, nullptr, nullptr}; \
  PyMODINIT_FUNC KGYM_NAME(PyInit_, name)() { return PyModule_Create(&kgym_module); }
