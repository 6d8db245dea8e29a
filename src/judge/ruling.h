// What a stage decided: nothing, so that the evaluation goes on, or an outcome with its reason and evidence.
//
// A stage returns Result<MaybeRuling>; the error of the Result is a fault of the judge (`infra`), never of the
// submission.
//
// Threads: any; plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "judge/host.h"
#include "judge/outcome.h"

namespace kgym::judge {

struct Ruling {
  Outcome outcome = Outcome::kOk;
  std::string reason;              // One sentence for a person.
  Json evidence = Json::object();  // Facts that the outcome rests on.
};

using MaybeRuling = std::optional<Ruling>;

/// The host ran during `stage` though it should have stood still.
Ruling RuleOnWaking(std::string_view stage);

/// What its host says of the timed calls cannot be.
Ruling ForgedInTiming(std::string what);

/// How a candidate or builder host's answer ends the evaluation during `stage`; nothing where it was done.
/// `out_of_memory`: whether the kernel killed the host at its limit.
MaybeRuling RuleOnAnswer(const Answer& answer, std::string_view stage, bool out_of_memory);

}  // namespace kgym::judge
