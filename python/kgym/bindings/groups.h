// How rows are compared: their groups, and what a row that is alone gets, from the arguments that estimators share.
//
// Threads: GroupsOf may run without the GIL; the rest needs none either.
#pragma once

#include "arrays.h"
#include "learn/advantage_baseline.h"
#include "learn/advantage_loo.h"
#include "learn/group.h"

namespace kgym::python {

/// By (group, turn) where turns are given, else by group.
inline learn::Grouping GroupsOf(const Integers& groups, const std::optional<Integers>& turns,
                                const std::optional<RowMarks>& mask) {
  if (turns) return Check(learn::GroupBy(View(groups), View(*turns), View("mask", mask, groups.size())));
  return Check(learn::GroupBy(View(groups), View("mask", mask, groups.size())));
}

inline learn::Alone AloneOf(const std::string& alone) {
  using learn::Alone;
  return Pick<Alone>("alone", alone, {{"zero", Alone::kZero}, {"return", Alone::kReturn}});
}

inline learn::BaselineFrom BaselineOf(const std::string& baseline) {
  using learn::BaselineFrom;
  return Pick<BaselineFrom>("baseline", baseline,
                            {{"others", BaselineFrom::kOthers}, {"group", BaselineFrom::kAllOfGroup}});
}

}  // namespace kgym::python
