// Rewards from a verdict's facts.
#include "arrays.h"
#include "base/config.h"
#include "gym/reward.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

/// Options as a config file would have them: dotted keys, values as text.
gym::RewardFunction Make(const std::map<std::string, std::string>& options) {
  gym::RewardConfig config;
  ConfigFields fields(config);
  for (const auto& [key, value] : options) Check(fields.Set(key, value));
  return Check(gym::RewardFunction::Create(config));
}

gym::OutcomeKind KindOf(const std::string& outcome) {
  const std::string kind = outcome.substr(0, outcome.find(':'));  // "fail:compile" is a fail.
  using gym::OutcomeKind;
  return Pick<OutcomeKind>("outcome", kind,
                           {{"ok", OutcomeKind::kOk},
                            {"fail", OutcomeKind::kFail},
                            {"rejected", OutcomeKind::kRejected},
                            {"infra", OutcomeKind::kInfra}});
}

}  // namespace

void AddRewards(nb::module_& m) {
  nb::class_<gym::RewardFacts>(m, "RewardFacts", "What a reward may know of a turn. None: not measured.")
      .def(
          "__init__",
          [](gym::RewardFacts* self, const std::string& outcome, bool format_ok, bool compiled, bool correct,
             std::int64_t tests_passed, std::int64_t tests_total, std::optional<double> speedup,
             std::optional<double> speedup_low, std::optional<double> speedup_high, std::optional<double> coverage,
             std::int64_t code_length, std::int64_t thinking_length, bool has_thinking, std::int64_t turn) {
            new (self) gym::RewardFacts{KindOf(outcome), format_ok,       compiled,     correct,      tests_passed,
                                        tests_total,     speedup,         speedup_low,  speedup_high, coverage,
                                        code_length,     thinking_length, has_thinking, turn};
          },
          "outcome"_a, nb::kw_only(), "format_ok"_a = true, "compiled"_a = true, "correct"_a = false,
          "tests_passed"_a = 0, "tests_total"_a = 0, "speedup"_a = nb::none(), "speedup_low"_a = nb::none(),
          "speedup_high"_a = nb::none(), "coverage"_a = nb::none(), "code_length"_a = 0, "thinking_length"_a = 0,
          "has_thinking"_a = false, "turn"_a = 1,
          "outcome: 'ok', 'fail', 'rejected' or 'infra', or a verdict's, such as 'fail:compile'.");
  nb::class_<gym::RewardFunction>(
      m, "Reward",
      "A reward by config: Reward({'preset': 'kevin', 'kevin.speed_cap': '5'}). Presets: drkernel, kevin, staged, "
      "expression. An unknown key or a wrong expression is a ValueError that names the nearest.")
      .def(
          "__init__",
          [](gym::RewardFunction* self, const std::map<std::string, std::string>& options) {
            new (self) gym::RewardFunction(Make(options));
          },
          "options"_a)
      .def(
          "__call__",
          [](const gym::RewardFunction& self, const gym::RewardFacts& facts) -> nb::object {
            const std::optional<gym::Reward> reward = Check(self(facts));
            return reward ? ToPython(DumpJson(reward->ToJson())) : nb::none();
          },
          "facts"_a, "A dict of the parts, 'reward_total' among them; None for infra, which is never a reward.");
}

}  // namespace kgym::python
