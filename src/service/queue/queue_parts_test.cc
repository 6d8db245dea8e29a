// The parts of a queue that need none: leases, dates, bounds, names, what a request may hold.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "service/queue/bounds.h"
#include "service/queue/labels.h"
#include "service/queue/lease_watch.h"
#include "service/queue/queue_fixture.h"
#include "service/queue/request_check.h"
#include "service/queue/tally.h"
#include "service/queue/unix_clock.h"

namespace kgym::service {
namespace {

using testing::HasSubstr;

constexpr Instant kStart{1s};

std::vector<std::string> LostIds(const LeaseWatch& watch, Instant now) {
  std::vector<std::string> ids;
  for (const LeaseWatch::Lost& lost : watch.LostAt(now)) ids.push_back(lost.id);
  return ids;
}

TEST(LeaseWatch, LosesWhatWasNotHeardOf) {
  LeaseWatch watch;
  watch.Renew("a", 1, 10s, kStart);
  watch.Renew("b", 1, 20s, kStart);
  EXPECT_THAT(LostIds(watch, kStart + 10s), testing::IsEmpty());
  EXPECT_THAT(LostIds(watch, kStart + 11s), testing::ElementsAre("a"));
  watch.Renew("a", 1, 10s, kStart + 9s);
  EXPECT_THAT(LostIds(watch, kStart + 19s), testing::IsEmpty());
  watch.Drop("a");
  EXPECT_THAT(LostIds(watch, kStart + 1h), testing::ElementsAre("b"));
}

TEST(LeaseWatch, AnObservationCountsOnlyWhereTheBeatMoved) {
  LeaseWatch watch;
  watch.Observe("a", 1, 7, 10s, kStart);
  watch.Observe("a", 1, 7, 10s, kStart + 9s);
  ASSERT_EQ(watch.LostAt(kStart + 11s).size(), 1u);
  EXPECT_EQ(watch.LostAt(kStart + 11s)[0].beat, 7);
  watch.Observe("a", 1, 8, 10s, kStart + 9s);
  EXPECT_THAT(LostIds(watch, kStart + 11s), testing::IsEmpty());
  watch.Observe("a", 2, 8, 10s, kStart + 30s);  // Another attempt starts anew.
  EXPECT_THAT(LostIds(watch, kStart + 31s), testing::IsEmpty());
  watch.KeepOnly({"b"});
  EXPECT_THAT(LostIds(watch, kStart + 1h), testing::IsEmpty());
}

TEST(UnixClock, FollowsTheMonotonicClock) {
  FakeClock clock;
  const UnixClock date(clock, 1'000'000);
  EXPECT_EQ(date.NowMs(), 1'000'000);
  clock.Advance(1500ms);
  EXPECT_EQ(date.NowMs(), 1'001'500);
}

TEST(RateMeter, CountsTheLastMinute) {
  RateMeter meter;
  EXPECT_EQ(meter.PerSecond(kStart), 0);
  for (int i = 0; i < 30; ++i) meter.Count(10, kStart + i * 1s);
  EXPECT_DOUBLE_EQ(meter.PerSecond(kStart + 30s), 10);
  EXPECT_DOUBLE_EQ(meter.PerSecond(kStart + 60s), 5);
  EXPECT_EQ(meter.PerSecond(kStart + 2min), 0);
}

TEST(RetryAfter, IsWhenAHundredthWillBeFree) {
  EXPECT_EQ(RetryAfter(1000, 2), 5s);
  EXPECT_EQ(RetryAfter(1000, 1e6), 1s);
  EXPECT_EQ(RetryAfter(1000, 1e-6), 60s);
  EXPECT_EQ(RetryAfter(1000, 0), 60s);
  EXPECT_EQ(RetryAfter(1, 0.5), 2s);
}

TEST(TaskState, IsReadByItsName) {
  for (std::size_t i = 0; i < kTaskStates; ++i) {
    const auto state = static_cast<TaskState>(i);
    EXPECT_EQ(ParseTaskState(Name(state)), state);
  }
  EXPECT_EQ(ParseTaskState("pending"), std::nullopt);
  EXPECT_FALSE(Ended(TaskState::kRunning));
  EXPECT_TRUE(Ended(TaskState::kDone));
}

TEST(Fingerprint, IsOfTheContentAlone) {
  const TaskSpec spec = Shared("a", "k");
  TaskSpec again = spec;
  again.id = "b";
  again.priority = 2;
  again.deadline_ms = 5;
  again.run = "other";
  EXPECT_EQ(Fingerprint(again), Fingerprint(spec));
  for (TaskSpec other : {Spec("a"), Shared("c", "k")}) EXPECT_NE(Fingerprint(other), Fingerprint(spec));
  TaskSpec labelled = spec;
  labelled.labels["card"] = "H100";
  EXPECT_NE(Fingerprint(labelled), Fingerprint(spec));
  EXPECT_NE(ShareKey(labelled), ShareKey(spec));
  EXPECT_EQ(ShareKey(Shared("other", "k")), ShareKey(spec));
  EXPECT_EQ(ShareKey(Spec("a")), "");
}

TEST(Tally, ForgetsATenantThatWaitsForNothing) {
  Tally tally;
  const Task task{.spec = Spec("a")};
  tally.Add(task);
  EXPECT_EQ(tally.queued_of("t"), 1);
  EXPECT_EQ(tally.queued(), 1);
  tally.Remove(task);
  EXPECT_EQ(tally.queued_of("t"), 0);
  EXPECT_TRUE(tally.queued_by_tenant.empty());
}

TEST(Labels, ComeBackAsTheyWent) {
  const Labels labels = {{"card", "H100"}, {"quote \"", "\\\n\xc3\xbc"}};
  EXPECT_EQ(*ParseLabels(LabelsText(labels)), labels);
  EXPECT_EQ(LabelsText({}), "");
  EXPECT_FALSE(ParseLabels("{\"card\":1}"));
  EXPECT_FALSE(ParseLabels("not json"));
}

std::string Fault(void (*change)(TaskSpec&)) {
  TaskSpec spec = Spec("a");
  change(spec);
  const Status status = CheckSpec(spec);
  return status ? "none" : status.error().message;
}

TEST(CheckSpec, NamesTheFieldTheValueAndWhatIsExpected) {
  EXPECT_EQ(Fault([](TaskSpec&) {}), "none");
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.id = ""; }), HasSubstr("id: ''"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.id = std::string(201, 'x'); }),
              HasSubstr("has 201 characters; 1 to 200"));
  EXPECT_EQ(Fault([](TaskSpec& spec) {
              spec.id.clear();
              for (int i = 0; i < 200; ++i) spec.id += "\xf0\x9f\x98\x80";
            }),
            "none");
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.id = "a\nb"; }), HasSubstr("without control characters"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.run = "\xff"; }), HasSubstr("task 'a': run"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.priority = -1; }), HasSubstr("priority: -1; 0 (low)"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.max_attempts = 0; }), HasSubstr("max_attempts: 0; 1 to 100"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.expected_hold_s = -1; }), HasSubstr("expected_hold_s: -1"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.deadline_ms = -1; }), HasSubstr("deadline_ms: -1"));
  EXPECT_THAT(Fault([](TaskSpec& spec) { spec.labels[""] = "x"; }), HasSubstr("labels: ''"));
}

TEST(ParseCursor, TakesWhatAPageGave) {
  EXPECT_EQ(*ParseCursor("17"), 17u);
  EXPECT_EQ(*ParseCursor(""), std::uint64_t{9223372036854775807});
  for (const std::string cursor : {"x", "1x", "-1", "18446744073709551615", " 1"}) EXPECT_FALSE(ParseCursor(cursor));
}

}  // namespace
}  // namespace kgym::service
