#include "service/remote/wire.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::service {
namespace {

using testing::HasSubstr;

Task Running() {
  Task task;
  task.spec = {.id = "a",
               .tenant = "t",
               .run = "r",
               .priority = 2,
               .labels = {{"card", "H100"}},
               .affinity = "level1/relu",
               .expected_hold_s = 1.5,
               .deadline_ms = 9,
               .max_attempts = 2,
               .payload = "{}"};
  task.state = TaskState::kRunning;
  task.submitted_ms = 7;
  task.attempt = 3;
  task.handed_back = 1;
  task.worker = "w";
  task.lane = "cuda:0";
  task.attached_to = "b";
  task.sequence = 11;
  return task;
}

TEST(WireTest, ATaskComesThroughWhole) {
  const Task task = Running();
  const Task read = ReadTask(TaskJson(task)).value();
  EXPECT_EQ(DumpJson(TaskJson(read)), DumpJson(TaskJson(task)));
  EXPECT_EQ(read.spec.labels, task.spec.labels);
  EXPECT_EQ(read.spec.payload, "{}");
  EXPECT_EQ(read.state, TaskState::kRunning);
  EXPECT_EQ(read.handed_back, 1);
}

TEST(WireTest, ChangesComeThroughInOrder) {
  Task other = Running();
  other.spec.id = "z";
  other.state = TaskState::kDone;
  const Changes read = ReadChanges(ChangesJson({.reset = true, .tasks = {Running(), other}})).value();
  EXPECT_TRUE(read.reset);
  ASSERT_EQ(read.tasks.size(), 2);
  EXPECT_EQ(read.tasks[1].spec.id, "z");
  EXPECT_EQ(read.tasks[1].state, TaskState::kDone);
}

TEST(WireTest, AnErrorNamesTheField) {
  Json json = TaskJson(Running());
  json["priority"] = 7;
  EXPECT_THAT(ReadTask(json).error().message, HasSubstr("field 'priority': 7"));
  json = TaskJson(Running());
  json["state"] = "asleep";
  EXPECT_THAT(ReadTask(json).error().message, HasSubstr("'asleep'"));
  json.erase("attempt");
  EXPECT_THAT(ReadTask(json).error().message, HasSubstr("'attempt'"));
  EXPECT_FALSE(ReadHolds(Json::object()).ok());
  EXPECT_FALSE(ReadTold(Json{{"told", "maybe"}}).ok());
}

TEST(WireTest, EveryAnswerHasAName) {
  for (const Told told : {Told::kStored, Told::kRepeated, Told::kStale, Told::kRefused})
    EXPECT_EQ(ReadTold(Json{{"told", Name(told)}}).value(), told);
}

}  // namespace
}  // namespace kgym::service
