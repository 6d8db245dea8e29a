#include "learn/group_values.h"

#include "base/check.h"
#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {

GroupMoments MomentsOf(std::span<const double> values) {
  KGYM_CHECK(!values.empty());
  GroupMoments moments{.count = values.size()};
  for (double value : values) moments.mean += value;
  moments.mean /= static_cast<double>(values.size());
  for (double value : values) moments.squares += (value - moments.mean) * (value - moments.mean);
  return moments;
}

Status CheckGroupValues(std::string_view name, std::span<const double> values, const Grouping& groups,
                        std::span<const double> out) {
  KGYM_TRY_VOID(CheckLength(name, values.size(), groups.rows));
  KGYM_TRY_VOID(CheckLength("advantages", out.size(), groups.rows));
  for (std::size_t row : groups.members) {
    if (std::isfinite(values[row])) continue;
    return Error{Concat(name, " of row ", row, " is ", values[row], "; a finite number is expected")};
  }
  return Ok();
}

}  // namespace kgym::learn
