// Returns and advantages of rows.
#include "arrays.h"
#include "groups.h"
#include "learn/advantage_baseline.h"
#include "learn/advantage_grpo.h"
#include "learn/advantage_loo.h"
#include "learn/advantage_passk.h"
#include "learn/mrs.h"
#include "learn/returns.h"
#include "learn/whiten.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

/// Groups the rows, runs estimate(values, groups, out) without the GIL.
template <class Estimate>
nb::object ByGroup(const RowDoubles& values, const Integers& groups, const std::optional<Integers>& turns,
                   const std::optional<RowMarks>& mask, const std::optional<OutDoubles>& out, Estimate estimate) {
  Output result(values, out);
  Unlocked([&] { Check(estimate(View(values), GroupsOf(groups, turns, mask), result.span())); });
  return result.Finish();
}

nb::object Returns(const RowDoubles& rewards, const Integers& trajectories, const Integers& turns,
                   const std::optional<RowMarks>& mask, double gamma, const std::string& of,
                   const std::optional<OutDoubles>& out) {
  using learn::ReturnOf;
  const learn::ReturnOptions options{
      gamma, Pick<ReturnOf>("of", of, {{"sum", ReturnOf::kSum}, {"max", ReturnOf::kMax}, {"last", ReturnOf::kLast}})};
  Output result(rewards, out);
  Unlocked([&] {
    Check(learn::Returns(View(rewards), {View(trajectories), View(turns), View("mask", mask, rewards.size())}, options,
                         result.span()));
  });
  return result.Finish();
}

nb::object VoidTurns(const RowDoubles& rewards, const Integers& trajectories, const Integers& turns,
                     const std::optional<RowMarks>& mask) {
  std::vector<std::uint8_t> kept(rewards.size());
  Unlocked([&] {
    Check(learn::VoidTurns(View(rewards), {View(trajectories), View(turns), View("mask", mask, rewards.size())}, kept));
  });
  return NewMarksLike(kept, rewards);
}

nb::object ShapeRewards(const RowDoubles& rewards, const Integers& trajectories, const Integers& turns,
                        const std::optional<RowMarks>& mask, const std::string& shaping, double gamma,
                        const std::optional<OutDoubles>& out) {
  using learn::Shaping;
  const auto how = Pick<Shaping>("shaping", shaping,
                                 {{"none", Shaping::kNone},
                                  {"final-only", Shaping::kFinalOnly},
                                  {"difference", Shaping::kDifference},
                                  {"difference-of-last-scaled", Shaping::kDifferenceOfLastScaled}});
  Output result(rewards, out);
  Unlocked([&] {
    Check(learn::ShapeRewards(View(rewards), {View(trajectories), View(turns), View("mask", mask, rewards.size())}, how,
                              gamma, result.span()));
  });
  return result.Finish();
}

nb::object FirstCopies(const Integers& identities) {
  return NewMarksLike(Unlocked([&] { return learn::FirstCopies(View(identities)); }), identities);
}

nb::object Loo(const RowDoubles& returns, const Integers& groups, const std::optional<Integers>& turns,
               const std::optional<RowMarks>& mask, const std::string& alone, bool scale,
               const std::optional<OutDoubles>& out) {
  const learn::LooOptions options{AloneOf(alone), scale ? learn::LooScale::kStandardDeviation : learn::LooScale::kNone};
  return ByGroup(returns, groups, turns, mask, out,
                 [&](auto in, const auto& by, auto to) { return learn::LeaveOneOut(in, by, options, to); });
}

nb::object Trloo(const RowDoubles& returns, const Integers& groups, const Integers& turns,
                 const std::optional<RowMarks>& mask, const std::string& alone, const std::optional<OutDoubles>& out) {
  return Loo(returns, groups, turns, mask, alone, false, out);
}

nb::object Erloo(const RowDoubles& returns, const Integers& groups, const Integers& trajectories,
                 const std::optional<RowMarks>& mask, const std::string& alone, const std::optional<OutDoubles>& out) {
  return ByGroup(returns, groups, std::nullopt, mask, out, [&](auto in, const auto& by, auto to) {
    return learn::LeaveEpisodeOut(in, View(trajectories), by, {.alone = AloneOf(alone)}, to);
  });
}

nb::object Grpo(const RowDoubles& returns, const Integers& groups, const std::optional<Integers>& turns,
                const std::optional<RowMarks>& mask, bool scale, double epsilon, const std::string& alone,
                const std::optional<OutDoubles>& out) {
  const learn::GrpoOptions options{scale ? learn::GroupScale::kStandardDeviation : learn::GroupScale::kNone, epsilon,
                                   AloneOf(alone)};
  return ByGroup(returns, groups, turns, mask, out,
                 [&](auto in, const auto& by, auto to) { return learn::GroupRelative(in, by, options, to); });
}

nb::object Gpg(const RowDoubles& scores, const Integers& groups, const std::optional<RowMarks>& mask,
               const std::string& alone, double scale, const std::optional<OutDoubles>& out) {
  return ByGroup(scores, groups, std::nullopt, mask, out, [&](auto in, const auto& by, auto to) {
    return learn::GpgAdvantages(in, by, AloneOf(alone), scale, to);
  });
}

nb::object WeightedBaseline(const RowDoubles& returns, const RowDoubles& weights, const Integers& groups,
                            const std::optional<Integers>& turns, const std::optional<RowMarks>& mask,
                            const std::string& baseline, const std::string& alone,
                            const std::optional<OutDoubles>& out) {
  const learn::BaselineFrom from = BaselineOf(baseline);
  return ByGroup(returns, groups, turns, mask, out, [&](auto in, const auto& by, auto to) {
    return learn::WeightedBaseline(in, View(weights), by, from, AloneOf(alone), to);
  });
}

nb::object SubtractBaseline(const RowDoubles& returns, const RowDoubles& baselines, const std::optional<RowMarks>& mask,
                            const std::optional<OutDoubles>& out) {
  Output result(returns, out);
  Unlocked([&] {
    Check(learn::SubtractBaseline(View(returns), View(baselines), View("mask", mask, returns.size()), result.span()));
  });
  return result.Finish();
}

nb::object InverseVarianceWeights(const RowDoubles& values, const Integers& groups, const std::optional<RowMarks>& mask,
                                  double epsilon, const std::optional<OutDoubles>& out) {
  return ByGroup(values, groups, std::nullopt, mask, out,
                 [&](auto in, const auto& by, auto to) { return learn::InverseVarianceWeights(in, by, epsilon, to); });
}

nb::object BestOfGroup(const RowDoubles& returns, const Integers& groups, const std::optional<RowMarks>& mask,
                       bool scale, const std::optional<OutDoubles>& out) {
  const auto by_deviation = scale ? learn::PasskScale::kStandardDeviation : learn::PasskScale::kNone;
  return ByGroup(returns, groups, std::nullopt, mask, out,
                 [&](auto in, const auto& by, auto to) { return learn::BestOfGroup(in, by, by_deviation, to); });
}

nb::object PassAtKAdvantages(const RowDoubles& scores, const Integers& groups, int k, double threshold,
                             const std::optional<RowMarks>& mask, const std::optional<OutDoubles>& out) {
  return ByGroup(scores, groups, std::nullopt, mask, out,
                 [&](auto in, const auto& by, auto to) { return learn::PassAtKAdvantages(in, by, k, threshold, to); });
}

nb::object RejectedAdvantages(const RowDoubles& returns, const Integers& groups, const Integers& turns,
                              const std::optional<RowMarks>& mask, const std::optional<RowMarks>& accepted,
                              const std::string& baseline, const std::string& alone,
                              const std::optional<OutDoubles>& out) {
  using learn::BaselineRows;
  const auto rows =
      Pick<BaselineRows>("baseline", baseline, {{"accepted", BaselineRows::kAccepted}, {"all", BaselineRows::kAll}});
  const learn::LooOptions options{.alone = AloneOf(alone)};
  Output result(returns, out);
  Unlocked([&] {
    Check(learn::RejectedAdvantages(View(returns), View(groups), View(turns), View("mask", mask, returns.size()),
                                    View("accepted", accepted, returns.size()), rows, options, result.span()));
  });
  return result.Finish();
}

nb::object Whiten(const RowDoubles& values, const std::optional<RowMarks>& mask, const std::optional<Integers>& weights,
                  double epsilon, double variance_epsilon, bool shift, double floor,
                  const std::optional<OutDoubles>& out) {
  const learn::WhitenOptions options{epsilon, variance_epsilon, floor, shift};
  Output result(values, out);
  Unlocked([&] {
    Check(learn::Whiten(View(values), View("mask", mask, values.size()), View("weights", weights, values.size()),
                        options, result.span()));
  });
  return result.Finish();
}

}  // namespace

void AddAdvantages(nb::module_& m) {
  const auto none = nb::none();
  m.def("returns", &Returns, "rewards"_a.noconvert(), "trajectories"_a.noconvert(), "turns"_a.noconvert(),
        "mask"_a.noconvert() = none, nb::kw_only(), "gamma"_a = 1.0, "of"_a = "sum", "out"_a.noconvert() = none,
        "Discounted returns of turns.\n\nrewards: float64[rows]; trajectories, turns: int64[rows], rows in any order; "
        "mask: bool[rows]. "
        "`of`: 'sum' r_t + gamma G_{t+1}, 'max' of gamma^(u-t) r_u, 'last' gamma^(T-t) r_T. Returns float64[rows], 0 "
        "where mask is not set; "
        "such turns still take time.\nRaises ValueError naming the row for wrong lengths, values that are not finite, "
        "a turn given twice.");
  m.def("void_turns", &VoidTurns, "rewards"_a.noconvert(), "trajectories"_a.noconvert(), "turns"_a.noconvert(),
        "mask"_a.noconvert() = none,
        "bool[rows]: False for turns that earn nothing after an earlier one earned something (Dr. Kernel, as "
        "published; see docs/methods.md for why it "
        "is not the default of anything).");
  m.def("shape_rewards", &ShapeRewards, "rewards"_a.noconvert(), "trajectories"_a.noconvert(), "turns"_a.noconvert(),
        "mask"_a.noconvert() = none, nb::kw_only(), "shaping"_a = "difference", "gamma"_a = 1.0,
        "out"_a.noconvert() = none,
        "Rewards of turns before returns are taken, float64[rows], 0 where mask is not set.\n\nshaping: 'difference' "
        "r_t - r_{t-1}, what the turn added; 'final-only', 0 but for an episode's last turn; "
        "'difference-of-last-scaled', the last reward times 1 - gamma first (Dr. Kernel's \"unbiased\"); 'none'. "
        "rewards: float64[rows]; trajectories, turns: int64[rows]; mask: bool[rows]. `out` may be rewards itself.\n"
        "Raises ValueError naming the row, as returns().");
  m.def("first_copies", &FirstCopies, "identities"_a.noconvert(),
        "bool[rows]: True for the first row of each identity (int64[rows]), False for the copies that a batch was "
        "filled with. A copy left in the mask counts twice in its group, and as its own baseline.");
  m.def("trloo", &Trloo, "returns"_a.noconvert(), "groups"_a.noconvert(), "turns"_a.noconvert(),
        "mask"_a.noconvert() = none, nb::kw_only(), "alone"_a = "zero", "out"_a.noconvert() = none,
        "Leave-one-out advantage within each (group, turn), Dr. Kernel (arXiv 2602.05885). Unbiased.\n\nreturns: "
        "float64[rows]; groups, turns: "
        "int64[rows]; mask: bool[rows]. Returns float64[rows], 0 where mask is not set. A row alone in its (group, "
        "turn) gets 0, or its return "
        "with alone='return' (published).\nRaises ValueError naming the row when a length differs or a return is not "
        "finite.");
  m.def("leave_one_out", &Loo, "returns"_a.noconvert(), "groups"_a.noconvert(), "turns"_a.noconvert() = none,
        "mask"_a.noconvert() = none, nb::kw_only(), "alone"_a = "zero", "scale"_a = false, "out"_a.noconvert() = none,
        "RLOO: a return less the mean of the others of its group (and turn, if given); with `scale` over their "
        "standard deviation.");
  m.def("erloo", &Erloo, "returns"_a.noconvert(), "groups"_a.noconvert(), "trajectories"_a.noconvert(),
        "mask"_a.noconvert() = none, nb::kw_only(), "alone"_a = "zero", "out"_a.noconvert() = none,
        "A return less the mean over all turns of the group's other episodes.");
  m.def("grpo", &Grpo, "returns"_a.noconvert(), "groups"_a.noconvert(), "turns"_a.noconvert() = none,
        "mask"_a.noconvert() = none, nb::kw_only(), "scale"_a = true, "epsilon"_a = 1e-6, "alone"_a = "zero",
        "out"_a.noconvert() = none,
        "Group-relative advantage; scale=False is Dr. GRPO. The group's own mean shrinks the gradient by (N - 1) / N.");
  m.def("gpg", &Gpg, "scores"_a.noconvert(), "groups"_a.noconvert(), "mask"_a.noconvert() = none, nb::kw_only(),
        "alone"_a = "return", "scale"_a = 1.0, "out"_a.noconvert() = none,
        "GPG: the centred score times rows over rows whose score is not 0.");
  m.def("weighted_baseline", &WeightedBaseline, "returns"_a.noconvert(), "weights"_a.noconvert(),
        "groups"_a.noconvert(), "turns"_a.noconvert() = none, "mask"_a.noconvert() = none, nb::kw_only(),
        "baseline"_a = "others", "alone"_a = "zero", "out"_a.noconvert() = none,
        "A - sum(w G) / sum(w): OPO with token counts as weights, the optimal baseline with squared gradient norms. "
        "baseline='group' includes the row "
        "itself, as published.");
  m.def(
      "subtract_baseline", &SubtractBaseline, "returns"_a.noconvert(), "baselines"_a.noconvert(),
      "mask"_a.noconvert() = none, nb::kw_only(), "out"_a.noconvert() = none,
      "ReMax (arXiv 2310.10505): a return less the return of the greedy reply to the same prompt.\n\nreturns, "
      "baselines: float64[rows]; mask: bool[rows]. Returns float64[rows], 0 where mask is not set.\nRaises ValueError "
      "naming the row when a length differs or a value is not finite.");
  m.def("inverse_variance_weights", &InverseVarianceWeights, "values"_a.noconvert(), "groups"_a.noconvert(),
        "mask"_a.noconvert() = none, nb::kw_only(), "epsilon"_a = 1e-6, "out"_a.noconvert() = none,
        "Weights of prompts, to multiply advantages with (Dr. Kernel): each row gets its group's, proportional to 1 / "
        "(variance + epsilon), of mean 1 over the groups. values: float64[rows]; groups: int64[rows].");
  m.def("best_of_group", &BestOfGroup, "returns"_a.noconvert(), "groups"_a.noconvert(), "mask"_a.noconvert() = none,
        nb::kw_only(), "scale"_a = false, "out"_a.noconvert() = none,
        "Best less second best for the best row, 0 for the rest.");
  m.def("pass_at_k_advantages", &PassAtKAdvantages, "scores"_a.noconvert(), "groups"_a.noconvert(), "k"_a,
        "threshold"_a = 1.0, "mask"_a.noconvert() = none, nb::kw_only(), "out"_a.noconvert() = none,
        "Analytical pass@k advantages (arXiv 2508.10751); a row is solved if its score is at least threshold.");
  m.def("rejected_advantages", &RejectedAdvantages, "returns"_a.noconvert(), "groups"_a.noconvert(),
        "turns"_a.noconvert(), "mask"_a.noconvert() = none, "accepted"_a.noconvert() = none, nb::kw_only(),
        "baseline"_a = "accepted", "alone"_a = "zero", "out"_a.noconvert() = none,
        "TRLOO of the rows that rejection sampling accepted. baseline='accepted' takes the others' mean over accepted "
        "rows (leak-free), 'all' over all of "
        "the mask (published).");
  m.def("whiten", &Whiten, "values"_a.noconvert(), "mask"_a.noconvert() = none, "weights"_a.noconvert() = none,
        nb::kw_only(), "epsilon"_a = 1e-6, "variance_epsilon"_a = 0.0, "shift"_a = true, "floor"_a = 0.0,
        "out"_a.noconvert() = none,
        "Mean 0, standard deviation 1 over the batch; weights: int64[rows], how many tokens a row stands for.");
}

}  // namespace kgym::python
