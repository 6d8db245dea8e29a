#include "learn/token_rows.h"

#include "base/text.h"

namespace kgym::learn {

Status CheckTokenRows(const TokenRows& tokens) {
  if (tokens.offsets.empty()) return Error{"offsets is empty; rows + 1 values are expected, the first 0"};
  if (tokens.offsets[0] != 0) return Error{Concat("offsets[0] is ", tokens.offsets[0], "; 0 is expected")};
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    if (tokens.offsets[row + 1] < tokens.offsets[row]) {
      return Error{Concat("row ", row, " ends at token ", tokens.offsets[row + 1], ", before its begin at ",
                          tokens.offsets[row])};
    }
  }
  const std::int64_t last = tokens.offsets.back();
  if (static_cast<std::size_t>(last) == tokens.mask.size()) return Ok();
  return Error{Concat("the last row ends at token ", last, ", but mask has ", tokens.mask.size(), " tokens")};
}

std::vector<std::int64_t> PaddedOffsets(std::size_t rows, std::size_t columns) {
  std::vector<std::int64_t> offsets(rows + 1);
  for (std::size_t row = 0; row <= rows; ++row) offsets[row] = static_cast<std::int64_t>(row * columns);
  return offsets;
}

std::vector<std::int64_t> KeptTokens(const TokenRows& tokens) {
  std::vector<std::int64_t> kept(tokens.rows(), 0);
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    std::int64_t count = 0;
    for (std::size_t i = tokens.begin(row); i < tokens.end(row); ++i) count += tokens.mask.data()[i] != 0;
    kept[row] = count;
  }
  return kept;
}

}  // namespace kgym::learn
