// Filters: which groups have something to teach, and which groups and rows to take where there are too many.
#include "learn/filter.h"

#include "arrays.h"
#include "groups.h"
#include "parts.h"

namespace kgym::python {
namespace {

using namespace nb::literals;

nb::tuple FilterGroups(const RowDoubles& scores, const Integers& groups, const std::optional<Integers>& turns,
                       const std::optional<RowMarks>& mask, const std::optional<Integers>& lengths,
                       const learn::FilterOptions& options) {
  std::vector<std::uint8_t> rows(scores.size());
  const learn::FilterReport report = Unlocked([&] {
    return Check(learn::FilterGroups(View(scores), View("lengths", lengths, scores.size()),
                                     GroupsOf(groups, turns, mask), options, rows));
  });
  nb::dict counts;
  counts["groups"] = report.groups;
  counts["dropped"] = report.dropped;
  counts["uniform"] = report.uniform;
  counts["solved_by_none"] = report.solved_by_none;
  counts["solved_by_all"] = report.solved_by_all;
  counts["small"] = report.small;
  counts["cut"] = report.cut;
  counts["out_of_range"] = report.out_of_range;
  return nb::make_tuple(NewMarksLike(rows, scores), counts);
}

nb::object TwoGates(const RowDoubles& mean_train, const RowDoubles& mean_rollout, const RowDoubles& least_below_top,
                    const std::optional<RowMarks>& mask, double closeness, double depth) {
  std::vector<std::uint8_t> rows(mean_train.size());
  Unlocked([&] {
    Check(learn::TwoGates(View(mean_train), View(mean_rollout), View(least_below_top),
                          View("mask", mask, mean_train.size()), {closeness, depth}, rows));
  });
  return NewMarksLike(rows, mean_train);
}

nb::object ChooseGroups(const Integers& groups, const std::optional<Integers>& turns,
                        const std::optional<RowMarks>& mask, std::size_t complete, std::size_t target,
                        std::uint64_t seed) {
  std::vector<std::uint8_t> rows(groups.size());
  Unlocked([&] {
    const learn::Grouping by = GroupsOf(groups, turns, mask);
    learn::Random random(seed);
    for (std::size_t group : learn::ChooseGroups(by, complete, target, random)) {
      for (std::size_t row : by[group]) rows[row] = 1;
    }
  });
  return NewMarksLike(rows, groups);
}

nb::object ChooseRows(const RowDoubles& scores, const Integers& lengths, const Integers& groups,
                      const std::optional<Integers>& turns, const std::optional<RowMarks>& mask, std::size_t count,
                      std::uint64_t seed, const std::string& by) {
  using learn::ChooseBy;
  const auto how = Pick<ChooseBy>("by", by,
                                  {{"uniform", ChooseBy::kUniform},
                                   {"efficiency", ChooseBy::kEfficiency},
                                   {"efficiency-stochastic", ChooseBy::kEfficiencyStochastic}});
  std::vector<std::uint8_t> rows(scores.size());
  Unlocked([&] {
    learn::Random random(seed);
    Check(learn::ChooseRows(View(scores), View(lengths), GroupsOf(groups, turns, mask), count, how, random, rows));
  });
  return NewMarksLike(rows, scores);
}

}  // namespace

void AddFilters(nb::module_& m) {
  const auto none = nb::none();
  const learn::FilterOptions usual;
  m.def(
      "filter_groups",
      [](const RowDoubles& scores, const Integers& groups, const std::optional<Integers>& turns,
         const std::optional<RowMarks>& mask, const std::optional<Integers>& lengths, double least_deviation,
         bool drop_solved_by_none, bool drop_solved_by_all, double none_score, double all_score, std::size_t least_size,
         std::int64_t max_length, std::size_t least_uncut, double least_mean, double most_mean) {
        return FilterGroups(scores, groups, turns, mask, lengths,
                            {least_deviation, drop_solved_by_none, drop_solved_by_all, none_score, all_score,
                             least_size, max_length, least_uncut, least_mean, most_mean});
      },
      "scores"_a.noconvert(), "groups"_a.noconvert(), "turns"_a.noconvert() = none, "mask"_a.noconvert() = none,
      nb::kw_only(), "lengths"_a.noconvert() = none, "least_deviation"_a = usual.least_deviation,
      "drop_solved_by_none"_a = usual.drop_solved_by_none, "drop_solved_by_all"_a = usual.drop_solved_by_all,
      "none_score"_a = usual.none_score, "all_score"_a = usual.all_score, "least_size"_a = usual.least_size,
      "max_length"_a = usual.max_length, "least_uncut"_a = usual.least_uncut, "least_mean"_a = usual.least_mean,
      "most_mean"_a = usual.most_mean,
      "Drops groups that have nothing to teach: (bool[rows] kept, counts). With turns, each (group, turn) is judged by "
      "itself.\n\nscores: float64[rows]; groups, turns, lengths (tokens): int64[rows]; mask: bool[rows]. A group goes "
      "if "
      "its standard deviation is below least_deviation, it has fewer than least_size rows, fewer than least_uncut of "
      "them below max_length tokens, or a mean outside [least_mean, most_mean]; if asked, too, where no score is above "
      "none_score or none below all_score.\nRaises ValueError naming the row.");
  m.def("two_gates", &TwoGates, "mean_train"_a.noconvert(), "mean_rollout"_a.noconvert(),
        "least_below_top"_a.noconvert(), "mask"_a.noconvert() = none, nb::kw_only(), "closeness"_a = 0.01,
        "depth"_a = 15.0,
        "bool[rows]: rows that both gates let through, for groups larger than is needed (Dr. Kernel).\n\nmean_train, "
        "mean_rollout: float64[rows], mean log-probability of the row's tokens, in nats; they must differ by less than "
        "closeness. least_below_top: float64[rows], the smallest of log p(sampled) - log p(likeliest) over the row's "
        "tokens, at most 0; it must be above -depth. mask: bool[rows]; what it leaves out is not read and gets False.\n"
        "Raises ValueError naming the row when a length differs or a value is not finite.");
  m.def(
      "choose_groups", &ChooseGroups, "groups"_a.noconvert(), "turns"_a.noconvert() = none, "mask"_a.noconvert() = none,
      nb::kw_only(), "complete"_a, "target"_a, "seed"_a,
      "bool[rows]: the rows of at most `target` groups (or, with turns, of (group, turn)s): those with `complete` rows "
      "or more first, at random among equals (Dr. Kernel).\n\ngroups, turns: int64[rows]; mask: bool[rows]. The same "
      "seed chooses the same groups, in whatever order rows come.\nRaises ValueError naming the row when a length "
      "differs.");
  m.def(
      "choose_rows", &ChooseRows, "scores"_a.noconvert(), "lengths"_a.noconvert(), "groups"_a.noconvert(),
      "turns"_a.noconvert() = none, "mask"_a.noconvert() = none, nb::kw_only(), "count"_a, "seed"_a, "by"_a = "uniform",
      "bool[rows]: `count` rows of each group (or (group, turn)), all where it has no more (Dr. Kernel).\n\nscores: "
      "float64[rows]; lengths: int64[rows], tokens, 1 or more; groups, turns: int64[rows]; mask: bool[rows]. by: "
      "'uniform'; 'efficiency', positive rows (score > 0) by score / length and the shortest others, in the group's "
      "shares and at least one of each; 'efficiency-stochastic', drawn with probabilities that grow with it. Which of "
      "several equal rows is taken depends on their order.\nRaises ValueError naming the row when a length differs, a "
      "score is not finite, or a row has no token.");
}

}  // namespace kgym::python
