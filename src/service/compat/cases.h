// kernel_simple without a reference program: its cases (inputs, and outputs where it knows them) become a problem that
// the judge can use as it uses any other.
//
// The problem draws one of the cases for each set of inputs, and knows which outputs belong to them. Where no outputs
// are given, the kernel is compared with itself: only its time means something then, and the answer says so.
//
// Threads: any; pure.
#pragma once

#include <string>

#include "base/result.h"
#include "service/compat/evaluation.h"

namespace kgym::service::kernelgym {

enum class CasesFrom { kRequest, kCasesCode, kKernelCode };

std::string_view Name(CasesFrom from);  // "inline", "cases_code", "kernel_code".

struct CasesProblem {
  std::string source;  // Of a problem in KernelBench form.
  CasesFrom from = CasesFrom::kRequest;
  bool checked = true;  // Against outputs; else the kernel is its own reference.
};

/// An error where there are no cases at all, as far as the texts show.
Result<CasesProblem> ProblemOfCases(const Evaluation& evaluation);

}  // namespace kgym::service::kernelgym
