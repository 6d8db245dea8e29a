#include "learn/check_input.h"

#include <cmath>
#include <string>

#include "base/text.h"

namespace kgym::learn {

Status CheckLength(std::string_view name, std::size_t length, std::size_t rows) {
  if (length == rows) return Ok();
  if (length < rows)
    return Error{Concat(name, " has ", length, " values for ", rows, " rows: row ", length, " has none")};
  return Error{Concat(name, " has ", length, " values for ", rows, " rows: there is no row ", rows)};
}

Status CheckOptional(std::string_view name, std::size_t length, std::size_t rows) {
  return length == 0 ? Ok() : CheckLength(name, length, rows);
}

Status CheckRows(std::string_view name, std::span<const double> values, std::size_t rows,
                 std::span<const std::uint8_t> kept) {
  KGYM_TRY_VOID(CheckLength(name, values.size(), rows));
  KGYM_TRY_VOID(CheckOptional("kept", kept.size(), rows));
  for (std::size_t row = 0; row < rows; ++row) {
    if (IsKept(kept, row) && !std::isfinite(values[row])) {
      return Error{Concat(name, " of row ", row, " is ", values[row], "; a finite number is expected")};
    }
  }
  return Ok();
}

Status CheckTokenCount(std::string_view name, std::size_t count, const TokenRows& tokens) {
  if (count == tokens.tokens()) return Ok();
  const std::string counts = Concat(name, " has ", count, " tokens, the mask ", tokens.tokens());
  if (count > tokens.tokens()) return Error{Concat(counts, ": token ", tokens.tokens(), " is in no row")};
  std::size_t row = 0;
  while (tokens.end(row) <= count) ++row;
  return Error{Concat(counts, ": row ", row, ", column ", count - tokens.begin(row), " has none")};
}

Status CheckTokens(std::string_view name, std::span<const double> values, const TokenRows& tokens) {
  KGYM_TRY_VOID(CheckTokenCount(name, values.size(), tokens));
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) {
      if (tokens.mask.data()[i] == 0 || std::isfinite(values.data()[i])) continue;
      return Error{Concat(name, " of row ", row, ", column ", i - tokens.begin(row), " is ", values[i],
                          "; a finite number is expected")};
    }
  }
  return Ok();
}

Status CheckRange(std::string_view name, double value, double low, double high) {
  if (value >= low && value <= high) return Ok();
  return Error{Concat(name, " is ", value, "; a number from ", low, " to ", high, " is expected")};
}

}  // namespace kgym::learn
