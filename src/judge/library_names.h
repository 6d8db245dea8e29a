// Names of libraries' functions and operators: which library code is part of, and what is a matrix product or a
// convolution.
//
// A policy may let a submission have its products from a library and nothing else (library_policy.h), and a verdict
// says how much of the time which library took. Kernels of a GPU are named in python/kgym_runner/profile.py.
//
// Threads: any; pure.
#pragma once

#include <string>
#include <string_view>

namespace kgym::judge {

/// A function of a library that computes.
struct LibraryFunction {
  std::string library;   // "torch", "MKL", "OpenBLAS", ...; empty: of no such library.
  bool product = false;  // A matrix product or a convolution, or what belongs to one (packing of operands, say).
};

/// `file` as in /proc/<pid>/maps; `function` where it is known.
LibraryFunction LibraryOf(std::string_view file, std::string_view function);

/// Whether a framework operator ("aten::addmm") is a matrix product or a convolution.
bool IsProduct(std::string_view framework_operator);

}  // namespace kgym::judge
