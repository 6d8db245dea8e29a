// What a server says of who works on its queue: why a task waits, and for whom others may build.
#include "service/api/crew.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <boost/asio/bind_cancellation_slot.hpp>
#include <boost/asio/cancellation_signal.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/io_context.hpp>

#include "base/files.h"
#include "service/queue/memory_roster.h"
#include "service/queue/sqlite_queue.h"

namespace kgym::service {
namespace {

using testing::HasSubstr;

WorkerView::Lane LaneOf(Labels labels, std::string fault = "") {
  WorkerView::Lane lane;
  lane.info.name = "lane";
  lane.info.labels = std::move(labels);
  lane.info.facts = {{"builds", "mark"},
                     {"backends",
                      {{"cuda", {{"runs", true}, {"missing", {"nvcc"}}}},
                       {"cupy", {{"runs", false}, {"missing", {"cupy"}}}},
                       {"cpp", {{"runs", true}, {"missing", Json::array()}}}}}};
  lane.fault = std::move(fault);
  return lane;
}

class CrewTest : public testing::Test {
 protected:
  CrewTest() {
    own_->name = "box";
    own_->state = WorkerView::State::kReady;
  }

  /// What the crew says of a task that asks for this, once it has looked around.
  std::string WhyItWaits(Labels labels) {
    const auto look = [&]() -> Awaitable<void> {
      // The first look ends in a pause, which is where it is told to stop.
      boost::asio::co_spawn(io_, crew_.Follow(),
                            boost::asio::bind_cancellation_slot(stop_.slot(), boost::asio::detached));
      for (int i = 0; i < 10; ++i) co_await boost::asio::post(io_, boost::asio::use_awaitable);
      stop_.emit(boost::asio::cancellation_type::terminal);
    };
    io_.restart();
    Spawn(io_.get_executor(), look());
    io_.run();
    Task task;
    task.spec.labels = std::move(labels);
    return crew_.WhyItWaits(task);
  }

  TempDir folder_ = TempDir::Create("crew").value();
  boost::asio::io_context io_{1};
  MonotonicClock clock_;
  std::unique_ptr<Queue> queue_ = OpenSqliteQueue({.path = folder_.path() / "queue.sqlite"}).value();
  MemoryRoster roster_{clock_};
  std::shared_ptr<WorkerView> own_ = std::make_shared<WorkerView>();
  std::unique_ptr<Feed> feed_ = std::make_unique<Feed>(io_.get_executor(), *queue_);
  boost::asio::cancellation_signal stop_;
  Crew crew_{roster_, *feed_, [this] { return own_; }};
};

TEST_F(CrewTest, WhatALaneHasDoesNotWait) {
  own_->lanes = {LaneOf({{"device", "cpu"}, {"backend", "cpp|triton"}}),
                 LaneOf({{"device", "fake"}, {"backend", "*"}})};
  EXPECT_EQ(WhyItWaits({{"backend", "cpp"}}), "");
  EXPECT_EQ(WhyItWaits({{"backend", "triton"}, {"device", "cpu"}}), "");
  EXPECT_EQ(WhyItWaits({{"backend", "anything"}}), "");
}

TEST_F(CrewTest, NamesWhatIsMissing) {
  own_->lanes = {LaneOf({{"device", "cpu"}, {"backend", "cpp|triton"}})};
  EXPECT_EQ(WhyItWaits({{"backend", "tritn"}, {"device", "cpu"}}),
            "no lane has backend=tritn (did you mean 'triton'?); there are: backend=cpp|triton, device=cpu. "
            "It waits for a worker that has it");
  EXPECT_THAT(WhyItWaits({{"backend", "cuda"}}), HasSubstr(R"(no lane has backend=cuda (lane of box lacks ["nvcc"]))"));
  EXPECT_THAT(WhyItWaits({{"card", "H100"}, {"backend", "cpp"}}), HasSubstr("no lane has card=H100; there are"));
}

TEST_F(CrewTest, EverythingMayBeThereButNotInOneLane) {
  own_->lanes = {LaneOf({{"device", "cpu"}, {"backend", "cpp"}}), LaneOf({{"device", "cuda"}, {"backend", "cuda"}})};
  EXPECT_THAT(WhyItWaits({{"backend", "cpp"}, {"device", "cuda"}}), HasSubstr("no lane has backend=cpp, device=cuda;"));
}

TEST_F(CrewTest, LanesThatAreOutOfUseAreSaid) {
  own_->lanes = {LaneOf({{"device", "cuda"}, {"backend", "cuda"}}, "the card is gone")};
  EXPECT_EQ(WhyItWaits({{"backend", "cuda"}}),
            "each lane that it could run on is out of use (lane of box: the card is gone); it waits for one");
  own_->lanes.push_back(LaneOf({{"device", "cuda"}, {"backend", "cuda"}}));
  EXPECT_EQ(WhyItWaits({{"backend", "cuda"}}), "");
}

TEST_F(CrewTest, LanesThatOnlyBuildJudgeNothing) {
  own_->lanes = {LaneOf({{"device", "build"}})};
  EXPECT_EQ(WhyItWaits({}), "no worker with lanes is there; it waits for one");
  EXPECT_FALSE(crew_.ready());
  EXPECT_TRUE(crew_.build_targets().empty());
  const Labels judges = {{"device", "cpu"}, {"backend", "cpp"}};
  own_->lanes.push_back(LaneOf(judges));
  EXPECT_EQ(WhyItWaits({{"backend", "cpp"}}), "");
  EXPECT_EQ(crew_.build_targets(), (std::set<BuildTarget>{{judges, "mark"}}));
}

}  // namespace
}  // namespace kgym::service
