// What each file of bindings/ adds to the module.
#pragma once

#include <nanobind/nanobind.h>

namespace kgym::python {

void AddAdvantages(nanobind::module_& module);
void AddTokens(nanobind::module_& module);
void AddEntropy(nanobind::module_& module);
void AddLosses(nanobind::module_& module);
void AddMismatch(nanobind::module_& module);
void AddFilters(nanobind::module_& module);
void AddSampling(nanobind::module_& module);
void AddMetrics(nanobind::module_& module);
void AddRewards(nanobind::module_& module);

}  // namespace kgym::python
