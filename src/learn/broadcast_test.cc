#include "learn/broadcast.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <vector>

#include "learn/random.h"

namespace kgym::learn {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// Two rows around an empty one; the first has a hole.
const std::vector<std::int64_t> kOffsets = {0, 5, 5, 8};
const std::vector<std::uint8_t> kMask = {0, 1, 1, 0, 1, 1, 1, 0};

TEST(Broadcast, WritesWhatCountsAndClearsTheRest) {
  std::vector<double> out(8, kNaN);
  Broadcast(std::vector<double>{2, kNaN, 3}, {kOffsets, kMask}, Masked::kZero, out).value();
  EXPECT_THAT(out, ElementsAre(0, 2, 2, 0, 2, 3, 3, 0));
}

TEST(Broadcast, LeavesTheRestAlone) {
  std::vector<double> out(8, 7);
  Broadcast(std::vector<double>{2, kNaN, 3}, {kOffsets, kMask}, Masked::kLeave, out).value();
  EXPECT_THAT(out, ElementsAre(7, 2, 2, 7, 2, 3, 3, 7));
}

TEST(Broadcast, NamesTheRow) {
  std::vector<double> out(8);
  const TokenRows tokens{kOffsets, kMask};
  EXPECT_THAT(Broadcast(std::vector<double>{1, 1, kNaN}, tokens, Masked::kZero, out).error().message,
              HasSubstr("values of row 2 is nan"));
  EXPECT_THAT(Broadcast(std::vector<double>{1, 1}, tokens, Masked::kZero, out).error().message,
              HasSubstr("row 2 has none"));
  EXPECT_THAT(Broadcast(std::vector<double>{1, 1, 1}, tokens, Masked::kZero, std::span(out).first(6)).error().message,
              HasSubstr("row 2, column 1 has none"));
}

TEST(RowSums, OfWhatCounts) {
  std::vector<double> sums(3);
  const std::vector<double> values = {kNaN, 1, 2, kNaN, 4, 8, 16, kNaN};
  RowSums(values, {kOffsets, kMask}, sums).value();
  EXPECT_THAT(sums, ElementsAre(7, 0, 24));
}

TEST(RowSums, AreThoseOfALoopForAnyMask) {
  Random random(3);
  for (int trial = 0; trial < 200; ++trial) {
    const std::size_t columns = 1 + random.Below(70);
    const double share = random.Uniform();
    std::vector<std::uint8_t> mask(2 * columns);
    std::vector<double> values(2 * columns, kNaN), sums(2), expected(2, 0.0);
    for (std::size_t i = 0; i < mask.size(); ++i) {
      mask[i] = static_cast<std::uint8_t>((random.Uniform() < share) * (1 + random.Below(255)));  // Any value counts.
      if (mask[i] != 0) expected[i / columns] += values[i] = random.Normal();
    }
    RowSums(values, {PaddedOffsets(2, columns), mask}, sums).value();
    EXPECT_NEAR(sums[0], expected[0], 1e-12);
    EXPECT_NEAR(sums[1], expected[1], 1e-12);
  }
}

TEST(RowSums, NameWhatIsNotFinite) {
  std::vector<double> sums(3);
  std::vector<double> values(8, 1.0);
  values[5] = kNaN;
  EXPECT_THAT(RowSums(values, {kOffsets, kMask}, sums).error().message, HasSubstr("values of row 2, column 0 is nan"));
  values[5] = values[6] = 1.7e308;
  EXPECT_THAT(RowSums(values, {kOffsets, kMask}, sums).error().message, HasSubstr("values of row 2 add up to inf"));
}

/// So large that the values go past the caches: the same numbers, wherever runs begin and end.
TEST(Broadcast, LargeOnesAreWrittenWhole) {
  constexpr std::size_t kRows = 5, kColumns = 500'003, kAhead = 3;
  const std::vector<std::int64_t> offsets = PaddedOffsets(kRows, kColumns);
  std::vector<std::uint8_t> mask(kRows * kColumns);
  for (std::size_t i = 0; i < mask.size(); ++i) mask[i] = i % 1009 < 900 && i % 31 != 7;
  const std::vector<double> values = {1, -2, 3, -4, 5};
  for (const Masked masked : {Masked::kZero, Masked::kLeave}) {
    std::vector<double> memory(kAhead + mask.size() + 1, 7);  // Begins in the middle of a cache line.
    Broadcast(values, {offsets, mask}, masked, std::span(memory).subspan(kAhead, mask.size())).value();
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < mask.size(); ++i) {
      const double unset = masked == Masked::kZero ? 0 : 7;
      wrong += memory[kAhead + i] != (mask[i] != 0 ? values[i / kColumns] : unset);
    }
    EXPECT_EQ(wrong, 0u);
    EXPECT_EQ(memory[kAhead - 1] + memory.back(), 14);
  }
}

}  // namespace
}  // namespace kgym::learn
