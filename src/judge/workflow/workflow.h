// A workflow: a small graph of steps in YAML, checked whole before anything runs.
//
//   name: nbody
//   description: one sentence
//   input:
//     submission: str
//     bodies: {type: int, default: 24}
//   steps:
//     - name: simulate
//       toolkit: simulate
//       input:
//         submission: ${input.submission}     # Or ${steps.NAME.output.FIELD}, .wall_ms, .cpu_ms, or a constant.
//         count: 400
//       when: ${input.bodies} < 1000          # Optional: a bool, `not` one, or a comparison with a constant.
//       limit: 20s                            # Optional: at most limits.step.
//       measure: true                         # Optional: nobody else works on the lane meanwhile.
//   output:
//     positions: ${steps.simulate.output.positions}
//
// A step runs once all steps that it names have ended; those that do not name each other may run at the same time.
// Refused when it is read: a name that does not exist, a value of another type than its field, a missing field, a
// cycle.
//
// Threads: any; plain values, pure functions.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/result.h"
#include "judge/workflow/value_type.h"

namespace kgym::judge {

/// What a toolkit takes and gives.
struct Signature {
  std::string name;
  std::string description;
  TypedFields input, output;
};

/// The step that needs no toolkit: an evaluation by the judge itself.
inline constexpr const char* kEvaluateStep = "evaluate";
const Signature& EvaluateSignature();

/// A value that is known once the workflow runs.
struct Reference {
  enum class Of { kInput, kOutput, kWallMs, kCpuMs };
  Of of = Of::kInput;
  std::string step;   // Of all but kInput.
  std::string field;  // Of kInput and kOutput.

  std::string text() const;  // "${steps.a.output.x}".
};

using Binding = std::variant<Json, Reference>;
using Bindings = std::vector<std::pair<std::string, Binding>>;

/// `left` compared with `right`.
struct Condition {
  enum class Comparison { kEqual, kUnequal, kLess, kAtMost, kMore, kAtLeast };
  Reference left;
  Comparison comparison = Comparison::kEqual;
  Json right = true;
  std::string text;  // As it was written.

  bool Holds(const Json& value) const;
};

struct Step {
  std::string name;
  std::string toolkit;
  Bindings input;
  std::optional<Condition> when;
  std::optional<Duration> limit;
  bool measure = false;
  std::vector<std::size_t> needs;  // Places of the steps that it names, in order.
};

struct Workflow {
  std::string name;
  std::string description;
  TypedFields input;
  std::vector<Step> steps;  // As they were written.
  Bindings output;
};

/// Its name, description and input, which can be told without its toolkits; the rest is left empty, and is not looked
/// at.
Result<Workflow> ReadWorkflowHead(const Json& json, const std::string& where);

/// `signatures`: of the toolkits that there are; `evaluate` is known beside them. An error reads "<where>: <key>: ...".
Result<Workflow> ReadWorkflow(const Json& json, const std::string& where, const std::vector<Signature>& signatures);

}  // namespace kgym::judge
