#include "base/duration.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/clock.h"

namespace kgym {
namespace {

TEST(Duration, ParsesWithUnits) {
  EXPECT_EQ(*ParseDuration("250ms"), 250ms);
  EXPECT_EQ(*ParseDuration("2s"), 2s);
  EXPECT_EQ(*ParseDuration("1m"), 60s);
  EXPECT_EQ(*ParseDuration("1.5 h"), 90min);
  EXPECT_EQ(*ParseDuration("30us"), 30us);
  EXPECT_EQ(*ParseDuration("7ns"), 7ns);
  EXPECT_EQ(*ParseDuration("0"), 0ns);
}

TEST(Duration, RefusesWhatHasNoUnitOrIsNoNumber) {
  for (const char* text : {"", "5", "ms", "5 parsecs", "nan s", "inf s", "5msx", "--1s"}) {
    EXPECT_FALSE(ParseDuration(text)) << text;
  }
  EXPECT_EQ(ParseDuration("5").error().message,
            "'5' is not a duration; a number and a unit (ns, us, ms, s, m, h) is expected, such as 250ms");
}

TEST(Duration, ExactTextReadsBack) {
  for (const Duration duration : {Duration(0), Duration(1ns), Duration(1500us), Duration(90s), Duration(2h)}) {
    EXPECT_EQ(*ParseDuration(ExactDuration(duration)), duration);
  }
  EXPECT_EQ(ExactDuration(90s), "90s");
  EXPECT_EQ(ExactDuration(1500us), "1500us");
}

TEST(Duration, FormatsForAPerson) {
  EXPECT_EQ(FormatDuration(812ns), "812 ns");
  EXPECT_EQ(FormatDuration(1250us), "1.25 ms");
  EXPECT_EQ(FormatDuration(12500us), "12.5 ms");
  EXPECT_EQ(FormatDuration(-2s), "-2.00 s");
  EXPECT_EQ(FormatDuration(125s), "2 min 5 s");
  EXPECT_EQ(FormatDuration(90min), "1 h 30 min");
  EXPECT_FALSE(FormatDuration(Duration::min()).empty());
}

TEST(Duration, ConvertsWithoutOverflow) {
  EXPECT_EQ(FromMs(1.5), 1500us);
  EXPECT_DOUBLE_EQ(ToMs(1500us), 1.5);
  EXPECT_DOUBLE_EQ(ToSeconds(FromSeconds(0.25)), 0.25);
  EXPECT_EQ(FromMs(std::numeric_limits<double>::infinity()), Duration::max());
  EXPECT_EQ(FromMs(std::numeric_limits<double>::quiet_NaN()), Duration::zero());
}

TEST(Clock, FakeStandsStillUntilMoved) {
  FakeClock clock;
  const Instant start = clock.Now();
  EXPECT_EQ(clock.Now(), start);
  clock.Advance(5ms);
  EXPECT_EQ(clock.Now() - start, 5ms);
  clock.Advance(-10ms);
  EXPECT_LT(clock.Now(), start);
  clock.Set(start);
  EXPECT_EQ(clock.Now(), start);
}

TEST(Clock, MonotonicDoesNotGoBack) {
  const MonotonicClock clock;
  const Instant first = clock.Now();
  EXPECT_GE(clock.Now(), first);
}

TEST(Clock, WallTimeIsUtcWithMilliseconds) {
  const std::chrono::system_clock::time_point time(std::chrono::milliseconds(1'700'000'000'042));
  EXPECT_EQ(WallTime(time), "2023-11-14T22:13:20.042Z");
}

}  // namespace
}  // namespace kgym
