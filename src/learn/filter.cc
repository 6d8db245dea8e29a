#include "learn/filter.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/group_values.h"

namespace kgym::learn {
namespace {

/// One score for each row, finite for those that are in a group.
Status CheckMembers(std::span<const double> scores, const Grouping& groups) {
  std::vector<std::uint8_t> members(groups.rows, 0);
  for (std::size_t row : groups.members) members[row] = 1;
  return CheckRows("scores", scores, groups.rows, members);
}

/// Whether to keep a group; counts what it finds.
bool JudgeGroup(std::span<const std::size_t> members, std::span<const double> scores,
                std::span<const std::int64_t> lengths, const FilterOptions& options, FilterReport& report) {
  std::vector<double> values;
  for (std::size_t row : members) values.push_back(scores[row]);
  const GroupMoments moments = MomentsOf(values);
  const bool uniform = moments.deviation() < options.least_deviation;
  const bool none = std::ranges::all_of(values, [&](double score) { return score <= options.none_score; });
  const bool all = std::ranges::all_of(values, [&](double score) { return score >= options.all_score; });
  const bool small = members.size() < options.least_size;
  const auto uncut = std::ranges::count_if(
      members, [&](std::size_t row) { return lengths.empty() || lengths[row] < options.max_length; });
  const bool cut = static_cast<std::size_t>(uncut) < options.least_uncut;
  const bool out_of_range = moments.mean < options.least_mean || moments.mean > options.most_mean;
  report.uniform += uniform;
  report.solved_by_none += none;
  report.solved_by_all += all;
  report.small += small;
  report.cut += cut;
  report.out_of_range += out_of_range;
  return !(uniform || (none && options.drop_solved_by_none) || (all && options.drop_solved_by_all) || small || cut ||
           out_of_range);
}

/// `count` of the rows with the largest keys.
void TakeLargest(std::vector<std::pair<double, std::size_t>> keyed, std::size_t count, std::vector<std::size_t>& out) {
  std::ranges::stable_sort(keyed, [](const auto& a, const auto& b) { return a.first > b.first; });
  for (std::size_t i = 0; i < std::min(count, keyed.size()); ++i) out.push_back(keyed[i].second);
}

/// Adding Gumbel noise to logits and taking the largest draws without replacement, softmax after softmax.
double Gumbel(Random& random) { return -std::log(-std::log(1 - random.Uniform()) + 1e-300); }

using Keyed = std::vector<std::pair<double, std::size_t>>;

void TakeEfficient(std::span<const std::size_t> members, std::span<const double> scores,
                   std::span<const std::int64_t> lengths, std::size_t count, bool stochastic, Random& random,
                   std::vector<std::size_t>& out) {
  Keyed positives, negatives;
  for (std::size_t row : members) {
    const double length = static_cast<double>(lengths[row]);
    if (scores[row] > 0) {
      positives.emplace_back(scores[row] / length, row);
    } else {
      negatives.emplace_back(1 / length, row);
    }
  }
  const double share = static_cast<double>(positives.size()) / static_cast<double>(members.size());
  auto wanted = static_cast<std::size_t>(std::lround(share * static_cast<double>(count)));
  // The smaller side has at least one; without both there is nothing to compare.
  if (count > 1 && !positives.empty() && !negatives.empty()) wanted = std::clamp<std::size_t>(wanted, 1, count - 1);
  wanted = std::min(wanted, positives.size());
  if (count - wanted > negatives.size()) wanted = count - negatives.size();
  for (Keyed* side : {&positives, &negatives}) {
    if (!stochastic || side->empty()) continue;
    const double top = std::ranges::max_element(*side)->first;
    for (auto& [key, row] : *side) key = key / top + Gumbel(random);
  }
  TakeLargest(std::move(positives), wanted, out);
  TakeLargest(std::move(negatives), count - wanted, out);
}

}  // namespace

Result<FilterReport> FilterGroups(std::span<const double> scores, std::span<const std::int64_t> lengths,
                                  const Grouping& groups, const FilterOptions& options,
                                  std::span<std::uint8_t> kept_rows) {
  KGYM_TRY_VOID(CheckMembers(scores, groups));
  KGYM_TRY_VOID(CheckOptional("lengths", lengths.size(), groups.rows));
  KGYM_TRY_VOID(CheckLength("kept_rows", kept_rows.size(), groups.rows));
  std::ranges::fill(kept_rows, std::uint8_t{0});
  FilterReport report{.groups = static_cast<std::int64_t>(groups.size())};
  for (std::size_t g = 0; g < groups.size(); ++g) {
    const bool keep = JudgeGroup(groups[g], scores, lengths, options, report);
    report.kept.push_back(keep);
    report.dropped += !keep;
    for (std::size_t row : groups[g]) kept_rows[row] = keep;
  }
  return report;
}

Status TwoGates(std::span<const double> mean_train, std::span<const double> mean_rollout,
                std::span<const double> least_below_top, std::span<const std::uint8_t> kept, const GateOptions& options,
                std::span<std::uint8_t> kept_rows) {
  const std::size_t rows = kept_rows.size();
  KGYM_TRY_VOID(CheckOptional("kept", kept.size(), rows));
  KGYM_TRY_VOID(CheckRows("mean_train", mean_train, rows, kept));
  KGYM_TRY_VOID(CheckRows("mean_rollout", mean_rollout, rows, kept));
  KGYM_TRY_VOID(CheckRows("least_below_top", least_below_top, rows, kept));
  for (std::size_t row = 0; row < rows; ++row) {
    const bool close = std::abs(mean_train[row] - mean_rollout[row]) < options.closeness;
    kept_rows[row] = IsKept(kept, row) && close && least_below_top[row] > -options.depth;
  }
  return Ok();
}

std::vector<std::size_t> ChooseGroups(const Grouping& groups, std::size_t complete, std::size_t target,
                                      Random& random) {
  std::vector<std::size_t> order(groups.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (order.size() <= target) return order;
  random.Shuffle(order);
  std::ranges::stable_partition(order, [&](std::size_t g) { return groups[g].size() >= complete; });
  order.resize(target);
  std::ranges::sort(order);
  return order;
}

Status ChooseRows(std::span<const double> scores, std::span<const std::int64_t> lengths, const Grouping& groups,
                  std::size_t count, ChooseBy by, Random& random, std::span<std::uint8_t> kept_rows) {
  KGYM_TRY_VOID(CheckMembers(scores, groups));
  KGYM_TRY_VOID(CheckLength("lengths", lengths.size(), groups.rows));
  KGYM_TRY_VOID(CheckLength("kept_rows", kept_rows.size(), groups.rows));
  for (std::size_t row : groups.members) {
    if (lengths[row] < 1) return Error{Concat("lengths of row ", row, " is ", lengths[row], "; 1 or more is expected")};
  }
  std::ranges::fill(kept_rows, std::uint8_t{0});
  std::vector<std::size_t> chosen;
  for (std::size_t g = 0; g < groups.size(); ++g) {
    chosen.clear();
    if (by == ChooseBy::kUniform || groups[g].size() <= count) {
      chosen.assign(groups[g].begin(), groups[g].end());
      if (chosen.size() > count) random.Shuffle(chosen);
      chosen.resize(std::min(chosen.size(), count));
    } else {
      TakeEfficient(groups[g], scores, lengths, count, by == ChooseBy::kEfficiencyStochastic, random, chosen);
    }
    for (std::size_t row : chosen) kept_rows[row] = 1;
  }
  return Ok();
}

}  // namespace kgym::learn
