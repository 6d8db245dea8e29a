#include "learn/mrs.h"

#include <algorithm>

#include "learn/check_input.h"

namespace kgym::learn {
namespace {

double ShareLost(double before, double after) { return before == 0 ? 0 : (before - after) / before; }

double Count(std::span<const std::uint8_t> marks) {
  return static_cast<double>(std::ranges::count_if(marks, [](std::uint8_t mark) { return mark != 0; }));
}

}  // namespace

std::vector<std::uint8_t> RowsWithTokens(const TokenRows& tokens) {
  const std::vector<std::int64_t> lengths = KeptTokens(tokens);
  std::vector<std::uint8_t> rows(lengths.size());
  for (std::size_t row = 0; row < rows.size(); ++row) rows[row] = lengths[row] > 0;
  return rows;
}

Result<MrsReport> MrsMask(const MismatchInput& input, const MrsOptions& options, std::span<std::uint8_t> accepted) {
  std::vector<std::uint8_t> within(input.tokens.tokens()), vetoed(input.tokens.tokens());
  KGYM_TRY_VOID(CheckLength("accepted", accepted.size(), input.tokens.tokens()));
  KGYM_TRY_VOID(RejectOutside(input, options.rejection, within));
  KGYM_TRY(const VetoReport veto, Veto(input, options.veto, vetoed));
  const double tokens = Count(input.tokens.mask);
  const double rows = Count(RowsWithTokens(input.tokens));
  MrsReport report{.rejected_tokens = ShareLost(tokens, Count(within)),
                   .rejected_rows = ShareLost(rows, Count(RowsWithTokens({input.tokens.offsets, within}))),
                   .veto = veto};
  for (std::size_t i = 0; i < accepted.size(); ++i) accepted[i] = within[i] & vetoed[i];
  report.accepted_tokens = tokens == 0 ? 0 : Count(accepted) / tokens;
  return report;
}

Status RejectedAdvantages(std::span<const double> returns, std::span<const std::int64_t> prompts,
                          std::span<const std::int64_t> turns, std::span<const std::uint8_t> kept,
                          std::span<const std::uint8_t> accepted, BaselineRows baseline, const LooOptions& options,
                          std::span<double> advantages) {
  const std::size_t rows = returns.size();
  KGYM_TRY_VOID(CheckLength("prompts", prompts.size(), rows));
  KGYM_TRY_VOID(CheckOptional("kept", kept.size(), rows));
  KGYM_TRY_VOID(CheckOptional("accepted", accepted.size(), rows));
  std::vector<std::uint8_t> both(rows);
  for (std::size_t row = 0; row < rows; ++row) both[row] = IsKept(kept, row) && IsKept(accepted, row);
  KGYM_TRY(const Grouping groups, GroupBy(prompts, turns, baseline == BaselineRows::kAll ? kept : both));
  KGYM_TRY_VOID(LeaveOneOut(returns, groups, options, advantages));
  for (std::size_t row = 0; row < rows; ++row) {
    if (both[row] == 0) advantages[row] = 0;
  }
  return Ok();
}

}  // namespace kgym::learn
