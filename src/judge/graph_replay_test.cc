// Replayed calls: how many, what is made of their spans, and that nothing which goes wrong is more than a note. Over
// real sockets, with hosts that answer as a test says.
#include "judge/graph_replay.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <deque>

#include "judge/fuzz/fake_side.h"

namespace kgym::judge {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

/// Spans of calls that take `call_ns` and something besides.
Json Spans(const ReplayPlan& plan, std::int64_t call_ns, std::int64_t launch_ns = 1000) {
  Json reply = Json::object();
  for (const int count : plan.counts()) {
    reply["calls_ns"].push_back(7000 + count * call_ns);
    reply["host_ns"].push_back(count * launch_ns);
    reply["ahead_ns"].push_back(3'000'000);
  }
  return reply;
}

TEST(Replays, LongCallsAreReplayedLessOften) {
  const ReplayPlan shortest = PlanReplays(0.002), usual = PlanReplays(0.1), medium = PlanReplays(1),
                   longest = PlanReplays(100);
  EXPECT_EQ(shortest.few, 4);
  EXPECT_EQ(shortest.many, 24);
  EXPECT_EQ(usual.many, shortest.many);
  EXPECT_EQ(medium.few, 2);
  EXPECT_EQ(medium.many, 4);
  EXPECT_EQ(longest.few, 1);
  EXPECT_EQ(longest.many, 2);
  EXPECT_EQ(PlanReplays(0).many, shortest.many);
  EXPECT_THAT(longest.counts(), ElementsAre(1, 2, 1, 2, 1, 2, 1, 2, 1, 2));
}

TEST(Replays, WhatTheManyTakeMoreIsTheCalls) {
  const ReplayPlan plan = PlanReplays(0.01);
  const Result<Replayed> replayed = ReadReplays(Spans(plan, 3200), plan);
  EXPECT_NEAR(replayed->ms, 0.0032, 1e-9) << "what stands once before a row is not in it";
  EXPECT_FALSE(replayed->dry);
  EXPECT_TRUE(ReadReplays(Spans(plan, 3200, 200'000), plan)->dry);
}

TEST(Replays, TimesThatCannotBeAreNone) {
  const ReplayPlan plan = PlanReplays(0.01);
  Json fewer = Spans(plan, 3200), negative = fewer, text = fewer;
  fewer["calls_ns"].erase(0);
  negative["calls_ns"][3] = -5;
  text["host_ns"] = "soon";
  for (const Json& reply : {fewer, negative, text, Json(7), Json()}) EXPECT_FALSE(ReadReplays(reply, plan).ok());
  Json backwards = Spans(plan, 3200);
  for (std::size_t i = 1; i < backwards["calls_ns"].size(); i += 2) backwards["calls_ns"][i] = 1;
  EXPECT_GT(ReadReplays(backwards, plan)->ms, 0) << "never zero, never less";
}

/// Two hosts of a lane; what each answers to `graph`, and the letters and questions in the order in which they came.
class GraphsTest : public testing::Test {
 protected:
  GraphsTest()
      : gate_(io_.get_executor()),
        reference_(io_.get_executor(), HostKind::kReference, &gate_),
        candidate_(io_.get_executor(), HostKind::kCandidate, &gate_),
        session_(*reference_.host, *candidate_.host, config_, {}, Ground{&gate_, true, 1000, 0}, 1) {}

  GraphTimes Measure(double candidate_ms) {
    Spawn(io_.get_executor(), Run(candidate_ms));
    for (bool moved = true; moved && !done_;) {
      io_.restart();
      moved = io_.poll() > 0;
      moved |= Serve(reference_, "reference:", reference_says_);
      moved |= Serve(candidate_, "candidate:", candidate_says_);
    }
    EXPECT_TRUE(done_) << "somebody is waited for who has answered";
    return times_;
  }

  JudgeConfig config_;
  boost::asio::io_context io_{1};
  Gate gate_;
  FakeHost reference_, candidate_;
  Session session_;
  Json reference_says_ = Spans(PlanReplays(0.05), 9000), candidate_says_ = Spans(PlanReplays(0.01), 3000);
  bool candidate_dies_ = false;
  std::vector<std::string> order_;

 private:
  Awaitable<void> Run(double candidate_ms) {
    times_ = co_await MeasureGraphs(session_, 0.05, candidate_ms);
    done_ = true;
  }

  bool Serve(FakeHost& fake, const std::string& who, const Json& says) {
    bool served = false;
    for (const char letter : fake.Told()) {
      order_.push_back(who + letter);
      served = true;
      fuzz::PutPacket(fake.supervisor, letter == 'W' ? "W 1" : std::string(1, letter));
    }
    const std::optional<std::string> packet = fuzz::TakePacket(fake.process);
    if (!packet) return served;
    const Json question = ParseJson(*packet).value();
    const std::string op = ClaimedText(question, "op");
    order_.push_back(who + op);
    Json answer = {{"ok", true}, {"nonce", question["nonce"]}};
    if (op == "fill") {
      answer["inputs"] = Json::array({Json::object({{"t", "list"}})});
      answer["outputs"] = Json::array({Json::array({0, 64})});
    }
    if (op == "graph") answer.update(says);
    if (op == "graph" && who == "candidate:" && candidate_dies_) {
      fuzz::PutPacket(fake.supervisor, "X signal 11");
      return true;
    }
    fuzz::PutPacket(fake.process, DumpJson(answer));
    return true;
  }

  GraphTimes times_;
  bool done_ = false;
};

TEST_F(GraphsTest, EitherSideIsTimedWhileTheOtherStandsStill) {
  const GraphTimes times = Measure(0.01);
  EXPECT_NEAR(times.reference_ms.value(), 0.009, 1e-9);
  EXPECT_NEAR(times.candidate_ms.value(), 0.003, 1e-9);
  EXPECT_EQ(times.note, "");
  EXPECT_THAT(order_, ElementsAre("candidate:F", "reference:fill", "reference:graph", "reference:refill", "candidate:W",
                                  "candidate:graph"));
  Json timing = {{"rounds", 8}};
  times.AddTo(timing);
  EXPECT_EQ(timing.size(), 3U);
  EXPECT_NEAR(timing["candidate_graph_ms"].get<double>(), 0.003, 1e-9);
}

TEST_F(GraphsTest, NobodyIsAskedForACallThatTakesLonger) {
  const GraphTimes times = Measure(0.5);
  EXPECT_TRUE(order_.empty());
  Json timing = Json::object();
  times.AddTo(timing);
  EXPECT_TRUE(timing["candidate_graph_ms"].is_null());
  EXPECT_TRUE(timing["reference_graph_ms"].is_null());
  EXPECT_EQ(timing["graph_note"], "a call takes 0.5 ms; only calls below 0.02 ms are replayed as graphs");
}

TEST_F(GraphsTest, ACallThatCannotBeCapturedHasASentenceAndTheOtherSideItsTime) {
  candidate_says_ = {{"note", "it could not be captured: RuntimeError: no"}};
  const GraphTimes times = Measure(0.01);
  EXPECT_TRUE(times.reference_ms.has_value());
  EXPECT_FALSE(times.candidate_ms.has_value());
  EXPECT_EQ(times.note, "candidate: it could not be captured: RuntimeError: no");
}

TEST_F(GraphsTest, WhatACandidateSaysIsCutAndNeverBelieved) {
  candidate_says_ = {{"note", std::string(10'000, 'x')}};
  reference_says_ = {{"note", "neither"}};
  EXPECT_LT(Measure(0.01).note.size(), 400U);
}

TEST_F(GraphsTest, TimesThatCannotBeAreANote) {
  candidate_says_ = {{"calls_ns", "none"}};
  const GraphTimes times = Measure(0.01);
  EXPECT_FALSE(times.candidate_ms.has_value());
  EXPECT_THAT(times.note, HasSubstr("times that cannot be"));
}

TEST_F(GraphsTest, ACandidateThatDiesInItsCaptureIsANote) {
  candidate_dies_ = true;
  const GraphTimes times = Measure(0.01);
  EXPECT_TRUE(times.reference_ms.has_value());
  EXPECT_THAT(times.note, HasSubstr("candidate: it did not answer"));
}

TEST_F(GraphsTest, TheGateIsFreeAfterwards) {
  Measure(0.01);
  EXPECT_EQ(gate_.stats().holds, 1);
}

}  // namespace
}  // namespace kgym::judge
