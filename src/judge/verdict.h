// The verdict: everything that an evaluation found, and its JSON (docs/verdict.schema.json, "kgym.verdict/1").
//
// Times are milliseconds. What was not measured is null, never zero.
//
// Threads: any; plain values.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "base/json.h"
#include "judge/outcome.h"
#include "judge/problem.h"
#include "judge/statistics.h"

namespace kgym::judge {

inline constexpr const char* kVerdictSchema = "kgym.verdict/1";

struct Verdict {
  std::string id;
  Outcome outcome = Outcome::kInfra;
  std::string reason;
  Json evidence = Json::object();

  std::optional<double> speedup;
  std::optional<Interval> speedup_interval;
  std::optional<double> reference_ms;
  std::optional<double> candidate_ms;
  std::optional<double> compiled_reference_ms;

  Json problem, submission;            // Names and hashes.
  Json correctness, timing, own_work;  // Null where the stage was not reached.
  std::vector<std::string> notes;      // What a reader should know and no field says.
  Json stages = Json::object();        // Where the time went, "..._ms".
  Json provenance = Json::object();    // Versions, machine, sandbox, config.
  std::string log;                     // What the submission printed, cut.

  Json ToJson() const;
};

/// A verdict for a problem and a submission, with nothing found yet.
Verdict NewVerdict(const Problem& problem, const Submission& submission);

}  // namespace kgym::judge
