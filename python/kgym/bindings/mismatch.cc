// Mismatch between rollout and training, and rejection by profile.
#include "arrays.h"
#include "learn/importance.h"
#include "learn/mismatch_metrics.h"
#include "learn/mrs.h"
#include "learn/prs.h"
#include "learn/rejection.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

learn::WeightLevel LevelOf(const std::string& level) {
  using learn::WeightLevel;
  return Pick<WeightLevel>("level", level,
                           {{"token", WeightLevel::kToken},
                            {"turn", WeightLevel::kTurn},
                            {"turn-geometric", WeightLevel::kTurnGeometric},
                            {"sequence", WeightLevel::kSequence},
                            {"geometric", WeightLevel::kGeometric}});
}

nb::object ImportanceWeights(const Doubles& train, const Doubles& rollout, const Marks& mask,
                             const std::optional<Integers>& offsets, const std::optional<Integers>& trajectories,
                             const std::string& level, double lower, double upper, bool mask_outside, bool normalize,
                             const std::optional<OutDoubles>& out) {
  const learn::ImportanceOptions options{LevelOf(level), lower, upper,
                                         mask_outside ? learn::OutOfBounds::kMask : learn::OutOfBounds::kTruncate,
                                         normalize};
  const Tokens tokens(mask, offsets);
  tokens.Expect("train_log_probs", train);
  tokens.Expect("rollout_log_probs", rollout);
  Output result(train, out);
  Unlocked([&] {
    const learn::MismatchInput input{tokens.view(), View(train), View(rollout),
                                     View("trajectories", trajectories, tokens.rows())};
    Check(learn::ImportanceWeights(input, options, result.span()));
  });
  return result.Finish();
}

nb::tuple MrsMask(const Doubles& train, const Doubles& rollout, const Marks& mask,
                  const std::optional<Integers>& offsets, const std::optional<Integers>& trajectories,
                  const std::string& level, double lower, double upper, double veto, const std::string& veto_of,
                  const std::string& veto_side) {
  using learn::VetoOf, learn::VetoSide;
  const learn::MrsOptions options{
      {LevelOf(level), lower, upper},
      {veto, Pick<VetoOf>("veto_of", veto_of, {{"row", VetoOf::kRow}, {"trajectory", VetoOf::kTrajectory}}),
       Pick<VetoSide>("veto_side", veto_side,
                      {{"unlikely-in-training", VetoSide::kUnlikelyInTraining}, {"either", VetoSide::kEither}})}};
  const Tokens tokens(mask, offsets);
  tokens.Expect("train_log_probs", train);
  tokens.Expect("rollout_log_probs", rollout);
  std::vector<std::uint8_t> accepted(mask.size());
  const learn::MrsReport report = Unlocked([&] {
    return Check(
        learn::MrsMask({tokens.view(), View(train), View(rollout), View("trajectories", trajectories, tokens.rows())},
                       options, accepted));
  });
  nb::dict metrics;
  metrics["rs_masked_fraction"] = report.rejected_tokens;
  metrics["rs_seq_masked_fraction"] = report.rejected_rows;
  metrics["veto_fraction"] = report.veto.rows;
  metrics["catastrophic_token_fraction"] = report.veto.tokens;
  metrics["accepted_fraction"] = report.accepted_tokens;
  return nb::make_tuple(NewMarksLike(accepted, mask), metrics);
}

nb::tuple BoundsForShare(const Doubles& train, const Doubles& rollout, const Marks& mask,
                         const std::optional<Integers>& offsets, const std::optional<Integers>& trajectories,
                         double largest_rejected, const std::string& level, double upper) {
  const learn::RejectionOptions options{.level = LevelOf(level), .upper = upper};
  const Tokens tokens(mask, offsets);
  tokens.Expect("train_log_probs", train);
  tokens.Expect("rollout_log_probs", rollout);
  const learn::RejectionOptions bounds = Unlocked([&] {
    const learn::MismatchInput input{tokens.view(), View(train), View(rollout),
                                     View("trajectories", trajectories, tokens.rows())};
    return Check(learn::BoundsForShare(input, options, largest_rejected));
  });
  return nb::make_tuple(bounds.lower, bounds.upper);
}

nb::object MismatchMetrics(const Doubles& train, const Doubles& rollout, const Marks& mask,
                           const std::optional<Integers>& offsets) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("train_log_probs", train);
  tokens.Expect("rollout_log_probs", rollout);
  return ToPython(Unlocked([&] {
    return DumpJson(Check(learn::MeasureMismatch({tokens.view(), View(train), View(rollout)})).ToJson());
  }));
}

nb::object WeightMetrics(const Doubles& train, const Doubles& rollout, const Marks& mask,
                         const std::optional<Integers>& offsets, const std::optional<Integers>& trajectories,
                         const std::string& level, double lower, double upper) {
  const Tokens tokens(mask, offsets);
  tokens.Expect("train_log_probs", train);
  tokens.Expect("rollout_log_probs", rollout);
  return ToPython(Unlocked([&] {
    const learn::MismatchInput input{tokens.view(), View(train), View(rollout),
                                     View("trajectories", trajectories, tokens.rows())};
    return DumpJson(Check(learn::MeasureWeights(input, LevelOf(level), lower, upper)).ToJson());
  }));
}

nb::tuple Prs(const RowDoubles& coverage, const RowMarks& correct, const Integers& trajectories, const Integers& turns,
              std::uint64_t seed, const std::optional<RowMarks>& mask, const std::optional<RowDoubles>& speedup,
              double threshold, double ramp, std::optional<double> speedup_threshold, const std::string& level) {
  using learn::PrsLevel;
  const learn::PrsOptions options{
      .level = Pick<PrsLevel>("level", level, {{"turn", PrsLevel::kTurn}, {"geometric", PrsLevel::kGeometric}}),
      .threshold = threshold,
      .ramp = ramp,
      .speedup_threshold = speedup_threshold};
  Output probabilities(coverage, std::nullopt);
  std::vector<std::uint8_t> accepted(coverage.size());
  Unlocked([&] {
    const learn::TurnRows rows{View(trajectories), View(turns), View("mask", mask, coverage.size())};
    Check(learn::KeepProbabilities({View(coverage), View(correct), View("speedup", speedup, coverage.size())}, rows,
                                   options, probabilities.span()));
    Check(learn::DrawKept(probabilities.span(), rows, options, seed, accepted));
  });
  return nb::make_tuple(NewMarksLike(accepted, coverage), probabilities.Finish());
}

}  // namespace

void AddMismatch(nb::module_& m) {
  const auto none = nb::none();
  m.def("importance_weights", &ImportanceWeights, "train_log_probs"_a.noconvert(), "rollout_log_probs"_a.noconvert(),
        "mask"_a.noconvert(), "offsets"_a.noconvert() = none, "trajectories"_a.noconvert() = none, nb::kw_only(),
        "level"_a = "token", "lower"_a = 0.0, "upper"_a = 2.0, "mask_outside"_a = false, "normalize"_a = false,
        "out"_a.noconvert() = none,
        "Weights of tokens, float64 of the mask's shape, for policy_loss(weights=). level: token, turn, "
        "turn-geometric, sequence, geometric; "
        "trajectories: int64[rows], which rows are one episode. Truncated at the bounds, or 0 outside with "
        "mask_outside.");
  m.def("mrs_mask", &MrsMask, "train_log_probs"_a.noconvert(), "rollout_log_probs"_a.noconvert(), "mask"_a.noconvert(),
        "offsets"_a.noconvert() = none, "trajectories"_a.noconvert() = none, nb::kw_only(), "level"_a = "geometric",
        "lower"_a = 0.999, "upper"_a = 1.001, "veto"_a = 1e-4, "veto_of"_a = "trajectory", "veto_side"_a = "either",
        "Multi-turn rejection sampling: (bool mask of the accepted tokens, metrics). As published: veto_of='row', "
        "veto_side='unlikely-in-training'.");
  m.def(
      "bounds_for_share", &BoundsForShare, "train_log_probs"_a.noconvert(), "rollout_log_probs"_a.noconvert(),
      "mask"_a.noconvert(), "offsets"_a.noconvert() = none, "trajectories"_a.noconvert() = none, nb::kw_only(),
      "largest_rejected"_a, "level"_a = "geometric", "upper"_a = 1.001,
      "(lower, upper) for mrs_mask(): the narrowest bounds 1 / b and b on a weight, b at least `upper`, that reject "
      "at most that share of the tokens (level token) or of the rows with tokens (other levels). Ours: fixed bounds on "
      "a geometric mean reject short replies for their noise.\n\ntrain_log_probs, rollout_log_probs: float64[rows, "
      "columns] or flat with offsets, in nats; mask: bool of the same shape; trajectories: int64[rows]; "
      "largest_rejected: from 0 to 1; upper: a ratio, 1 or more.\nRaises ValueError naming row and column.");
  m.def("mismatch_metrics", &MismatchMetrics, "train_log_probs"_a.noconvert(), "rollout_log_probs"_a.noconvert(),
        "mask"_a.noconvert(), "offsets"_a.noconvert() = none,
        "kl, k3, chi2, perplexities and their differences, as a dict.");
  m.def("weight_metrics", &WeightMetrics, "train_log_probs"_a.noconvert(), "rollout_log_probs"_a.noconvert(),
        "mask"_a.noconvert(), "offsets"_a.noconvert() = none, "trajectories"_a.noconvert() = none, nb::kw_only(),
        "level"_a = "token", "lower"_a = 0.5, "upper"_a = 2.0,
        "Mean, extremes, effective sample size of the weights of a level, as a dict.");
  m.def("prs", &Prs, "coverage"_a.noconvert(), "correct"_a.noconvert(), "trajectories"_a.noconvert(),
        "turns"_a.noconvert(), "seed"_a, "mask"_a.noconvert() = none, "speedup"_a.noconvert() = none, nb::kw_only(),
        "threshold"_a = 0.3, "ramp"_a = 0.1, "speedup_threshold"_a = none, "level"_a = "turn",
        "Profile-based rejection: (bool[rows] drawn, float64[rows] probabilities). A draw depends on (seed, "
        "trajectory, turn) only.");
}

}  // namespace kgym::python
