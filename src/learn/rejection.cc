#include "learn/rejection.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/text.h"
#include "learn/check_input.h"
#include "learn/ratio.h"

namespace kgym::learn {
namespace {

Status CheckBounds(const RejectionOptions& options) {
  if (options.lower >= 0 && options.lower <= options.upper) return Ok();
  return Error{Concat("bounds are ", options.lower, " and ", options.upper, "; 0 <= lower <= upper is expected")};
}

/// Rows with a token that vetoes, and how many such tokens there are.
struct Catastrophes {
  std::vector<std::uint8_t> rows;
  std::int64_t vetoing = 0;
  std::int64_t tokens = 0;
};

Catastrophes FindCatastrophes(const MismatchInput& input, const VetoOptions& options) {
  Catastrophes found{.rows = std::vector<std::uint8_t>(input.tokens.rows(), 0)};
  const double limit = std::log(options.threshold);
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      if (input.tokens.mask.data()[i] == 0) continue;
      ++found.tokens;
      const double difference = input.difference(i);
      if (difference < limit || (options.side == VetoSide::kEither && difference > -limit)) {
        ++found.vetoing;
        found.rows[row] = 1;
      }
    }
  }
  return found;
}

double Share(std::int64_t part, std::int64_t all) {
  return all == 0 ? 0 : static_cast<double>(part) / static_cast<double>(all);
}

}  // namespace

Status RejectOutside(const MismatchInput& input, const RejectionOptions& options, std::span<std::uint8_t> accepted) {
  KGYM_TRY_VOID(CheckBounds(options));
  KGYM_TRY_VOID(CheckMismatch(input));
  KGYM_TRY_VOID(CheckLength("accepted", accepted.size(), input.tokens.tokens()));
  const bool by_token = options.level == WeightLevel::kToken;
  const std::vector<double> logs = by_token ? std::vector<double>() : RowLogWeights(input, options.level);
  const auto within = [&](double weight) { return options.lower <= weight && weight <= options.upper; };
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    const bool row_within = by_token || within(std::exp(logs[row]));
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      bool accepts = input.tokens.mask.data()[i] != 0 && row_within;
      if (accepts && by_token) accepts = within(RatioOf(input.difference(i)).value);
      accepted.data()[i] = accepts;
    }
  }
  return Ok();
}

Result<VetoReport> Veto(const MismatchInput& input, const VetoOptions& options, std::span<std::uint8_t> accepted) {
  if (!(options.threshold > 0 && options.threshold < 1)) {
    return Error{Concat("threshold is ", options.threshold, "; a ratio above 0 and below 1 is expected")};
  }
  KGYM_TRY_VOID(CheckMismatch(input));
  KGYM_TRY_VOID(CheckLength("accepted", accepted.size(), input.tokens.tokens()));
  Catastrophes found = FindCatastrophes(input, options);
  if (options.of == VetoOf::kTrajectory) {
    const std::vector<std::size_t> episodes = EpisodeNumbers(input);
    std::vector<std::uint8_t> vetoed(episodes.size(), 0);
    for (std::size_t row = 0; row < episodes.size(); ++row) vetoed[episodes[row]] |= found.rows[row];
    for (std::size_t row = 0; row < episodes.size(); ++row) found.rows[row] = vetoed[episodes[row]];
  }
  std::int64_t rows = 0, vetoed_rows = 0;
  for (std::size_t row = 0; row < input.tokens.rows(); ++row) {
    bool any = false;
    for (std::size_t i = input.tokens.begin(row); i < input.tokens.end(row); ++i) {
      const bool counts = input.tokens.mask.data()[i] != 0;
      any |= counts;
      accepted.data()[i] = counts && found.rows[row] == 0;
    }
    rows += any;
    vetoed_rows += any && found.rows[row] != 0;
  }
  return VetoReport{Share(vetoed_rows, rows), Share(found.vetoing, found.tokens)};
}

Result<RejectionOptions> BoundsForShare(const MismatchInput& input, RejectionOptions options, double largest_rejected) {
  KGYM_TRY_VOID(CheckRange("largest_rejected", largest_rejected, 0, 1));
  KGYM_TRY_VOID(CheckMismatch(input));
  if (!(options.upper >= 1)) return Error{Concat("upper is ", options.upper, "; 1 or more is expected")};
  std::vector<double> distances;  // From 0, of the units' logarithms.
  if (options.level == WeightLevel::kToken) {
    for (std::size_t i = 0; i < input.tokens.tokens(); ++i) {
      if (input.tokens.mask[i] != 0) distances.push_back(std::min(std::abs(input.difference(i)), kRatioBound));
    }
  } else {
    const std::vector<double> logs = RowLogWeights(input, options.level);
    const std::vector<std::int64_t> lengths = KeptTokens(input.tokens);
    for (std::size_t row = 0; row < logs.size(); ++row) {
      if (lengths[row] > 0) distances.push_back(std::abs(logs[row]));
    }
  }
  double bound = options.upper;
  if (!distances.empty()) {
    std::ranges::sort(distances);
    const auto rejected = static_cast<std::size_t>(largest_rejected * static_cast<double>(distances.size()));
    if (rejected < distances.size()) {
      // A hair wider than the unit that just has to pass, for the rounding of exp.
      bound = std::max(bound, std::exp(distances[distances.size() - 1 - rejected]) * (1 + 1e-12));
    }
  }
  options.upper = bound;
  options.lower = 1 / bound;
  return options;
}

}  // namespace kgym::learn
