#include "service/api/worker_view.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::service {
namespace {

using testing::HasSubstr;

WorkerView Busy() {
  WorkerView worker;
  worker.name = "box";
  worker.version = "1.2.3";
  worker.state = WorkerView::State::kReady;
  worker.stopped = 2;
  worker.returned = 1;
  WorkerView::Lane lane;
  lane.info = {"cuda:0", {{"card", "H100"}, {"device", "cuda"}}, 16, {{"cores", 4}}};
  lane.fault = "Xid 79";
  lane.running = 3;
  lane.done = 7;
  lane.failed = 1;
  lane.busy_s = 2.5;
  worker.lanes.push_back(lane);
  return worker;
}

TEST(WorkerViewTest, ComesThroughWhole) {
  const Json json = WorkerViewJson(Busy());
  const WorkerView read = ReadWorkerView(json).value();
  EXPECT_EQ(DumpJson(WorkerViewJson(read)), DumpJson(json));
  EXPECT_EQ(read.lanes[0].info.labels.at("card"), "H100");
  EXPECT_EQ(read.lanes[0].info.slots, 16);
  EXPECT_EQ(read.state, WorkerView::State::kReady);
}

TEST(WorkerViewTest, AnErrorNamesTheField) {
  Json json = WorkerViewJson(Busy());
  json["state"] = "asleep";
  EXPECT_THAT(ReadWorkerView(json).error().message, HasSubstr("'asleep'"));
  json = WorkerViewJson(Busy());
  json["lanes"][0]["slots"] = 0;
  EXPECT_THAT(ReadWorkerView(json).error().message, HasSubstr("field 'slots': 0"));
  json = WorkerViewJson(Busy());
  json["lanes"][0]["labels"]["card"] = 7;
  EXPECT_THAT(ReadWorkerView(json).error().message, HasSubstr("'card' is not a string"));
  EXPECT_FALSE(ReadWorkerView(Json::object()).ok());
}

TEST(WorkerViewTest, ALaneIsOutOfUseOrAsItsWorkerIs) {
  WorkerView worker = Busy();
  EXPECT_EQ(LaneState(worker, worker.lanes[0]), "quarantined");
  worker.lanes[0].fault.clear();
  EXPECT_EQ(LaneState(worker, worker.lanes[0]), "ready");
  worker.state = WorkerView::State::kDraining;
  EXPECT_EQ(LaneState(worker, worker.lanes[0]), "draining");
}

}  // namespace
}  // namespace kgym::service
