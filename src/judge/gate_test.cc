#include "judge/gate.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>

#include "judge/fake_host.h"

namespace kgym::judge {
namespace {

class GateTest : public testing::Test {
 protected:
  void Measure(int who, Duration expected, std::vector<Host*> own = {}) {
    Spawn(io_.get_executor(), Hold(who, expected, std::move(own)));
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_{1};
  Gate gate_{io_.get_executor()};
  std::vector<Gate::Exclusive> holds_{8};
  std::vector<int> granted_;

 private:
  Awaitable<void> Hold(int who, Duration expected, std::vector<Host*> own) {
    holds_[static_cast<std::size_t>(who)] = co_await gate_.Measure(expected, std::move(own));
    granted_.push_back(who);
  }
};

TEST_F(GateTest, StopsEverybodyElseAndLetsThemGoOn) {
  FakeHost own(io_.get_executor(), HostKind::kCandidate, &gate_);
  FakeHost other(io_.get_executor(), HostKind::kCandidate, &gate_);
  Measure(0, 1ms, {own.host.get()});
  Settle();
  EXPECT_EQ(own.Told(), "");
  EXPECT_EQ(other.Told(), "P");
  holds_[0].Release();
  EXPECT_EQ(own.Told(), "");
  EXPECT_EQ(other.Told(), "R");
}

TEST_F(GateTest, AHostThatComesWhileSomebodyMeasuresIsStopped) {
  Measure(0, 1ms);
  Settle();
  FakeHost late(io_.get_executor(), HostKind::kCandidate, &gate_);
  EXPECT_EQ(late.Told(), "P");
  holds_[0].Release();
  EXPECT_EQ(late.Told(), "R");
}

TEST_F(GateTest, OneAtATimeAndTheShortestFirst) {
  Measure(0, 1ms);
  Settle();
  Measure(1, 10s);
  Settle();
  Measure(2, 1ms);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0}));
  holds_[0].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 2}));
  holds_[2].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 2, 1}));
  EXPECT_EQ(gate_.stats().holds, 2);
}

TEST_F(GateTest, OfEqualLengthTheFirstComesFirst) {
  for (int who = 0; who < 4; ++who) {
    Measure(who, 5ms);
    Settle();
  }
  for (int who = 0; who < 4; ++who) {
    holds_[static_cast<std::size_t>(who)].Release();
    Settle();
  }
  EXPECT_EQ(granted_, (std::vector{0, 1, 2, 3}));
}

TEST_F(GateTest, WhoGivesUpWaitingLeavesTheLine) {
  Measure(0, 1ms);
  Settle();
  bool late = false;
  const auto impatient = [&]() -> Awaitable<void> {
    auto measure = gate_.Measure(1ms, {});
    const auto got = co_await WithDeadline(1ms, std::move(measure));
    late = !got.has_value();
  };
  Spawn(io_.get_executor(), impatient());
  io_.restart();
  while (!late) io_.run_one();
  Measure(1, 1ms);
  Settle();
  holds_[0].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 1}));
}

TEST_F(GateTest, CalmWaitsForHostsOnTheirWayAndHoldsBackOthers) {
  std::vector<Gate::Change> changes;
  bool calm = false;
  const auto begin = [&]() -> Awaitable<void> { changes.push_back(co_await gate_.BeginChange()); };
  const auto ask = [&]() -> Awaitable<void> {
    co_await holds_[0].Calm();
    calm = true;
  };
  Spawn(io_.get_executor(), begin());
  Measure(0, 1ms);
  Settle();
  Spawn(io_.get_executor(), ask());
  Spawn(io_.get_executor(), begin());
  Settle();
  EXPECT_FALSE(calm);
  EXPECT_EQ(changes.size(), 1U) << "nobody begins";
  changes.clear();
  Settle();
  EXPECT_TRUE(calm);
  EXPECT_TRUE(changes.empty());
  holds_[0].Release();
  Settle();
  EXPECT_EQ(changes.size(), 1U) << "and goes on behind it";
}

TEST_F(GateTest, WithoutAskingForCalmHostsComeAndGo) {
  bool begun = false;
  const auto begin = [&]() -> Awaitable<void> {
    const Gate::Change change = co_await gate_.BeginChange();
    begun = true;
  };
  Measure(0, 1ms);
  Settle();
  Spawn(io_.get_executor(), begin());
  Settle();
  EXPECT_TRUE(begun);
}

TEST_F(GateTest, TimeThatAHostStoodStillIsNotItsOwn) {
  FakeHost other(io_.get_executor(), HostKind::kCandidate, &gate_);
  Answer answer;
  bool answered = false;
  const auto ask = [&]() -> Awaitable<void> {
    Json request = {{"op", "call"}};
    answer = co_await other.host->Call(std::move(request), {}, 2ms);
    answered = true;
  };
  Measure(0, 1ms);
  Settle();
  holds_[0].Quiet();
  Spawn(io_.get_executor(), ask());
  // Its limit passes many times over while it is credited ...
  const Instant start = std::chrono::steady_clock::now();
  while (std::chrono::steady_clock::now() - start < 20ms) Settle();
  EXPECT_FALSE(answered);
  // ... and once after it may go on.
  holds_[0].Release();
  io_.restart();
  while (!answered) io_.run_one();
  EXPECT_EQ(answer.what, Answer::What::kTimeout);
}

TEST_F(GateTest, WithoutQuietThereIsNoCredit) {
  FakeHost other(io_.get_executor(), HostKind::kCandidate, &gate_);
  bool answered = false;
  const auto ask = [&]() -> Awaitable<void> {
    Json request = {{"op", "call"}};
    const Answer answer = co_await other.host->Call(std::move(request), {}, 2ms);
    answered = answer.what == Answer::What::kTimeout;
  };
  Measure(0, 1ms);
  Settle();
  Spawn(io_.get_executor(), ask());
  io_.restart();
  while (!answered) io_.run_one();
  EXPECT_EQ(granted_, (std::vector{0})) << "still held";
}

}  // namespace
}  // namespace kgym::judge
