#include "service/compat/worker_book.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::service::kernelgym {
namespace {

using testing::HasSubstr;

TEST(WorkerBook, HeartbeatsOfUnknownWorkersRegisterThem) {
  WorkerBook book;
  EXPECT_THAT(book.Heartbeat("w1", {}).error().message, HasSubstr("names no device"));
  EXPECT_TRUE(book.Heartbeat("w1", {.device = "cuda:0", .node_id = "n"}).ok());
  EXPECT_TRUE(book.Heartbeat("w1", {}).ok());
  EXPECT_THAT(book.Heartbeat("w2", {.device = "cuda:0", .node_id = "n"}).error().message, HasSubstr("w1"));
  EXPECT_TRUE(book.Heartbeat("w2", {.device = "cuda:0", .node_id = "other"}).ok());
  EXPECT_THAT(book.Heartbeat("w1", {.device = "cuda:1"}).error().message, HasSubstr("cuda:0"));
}

TEST(WorkerBook, EvictedWorkersStayAsOffline) {
  WorkerBook book;
  book.Register("w1", {.device = "cuda:0"});
  book.Evict("w1");
  EXPECT_EQ(book.workers().at("w1").status, "offline");
  EXPECT_TRUE(book.Heartbeat("w2", {.device = "cuda:0"}).ok());  // Its device is free again.
  EXPECT_TRUE(book.Unregister("w1"));
  EXPECT_FALSE(book.Unregister("w1"));
}

TEST(WorkerBook, NodesAreBoundToTheirHosts) {
  WorkerBook book;
  EXPECT_EQ(book.Allocate("host-a", "").value(), "node-1");
  EXPECT_EQ(book.Allocate("host-a", "").value(), "node-1");
  EXPECT_EQ(book.Allocate("host-b", "").value(), "node-2");
  EXPECT_EQ(book.Allocate("host-c", "mine").value(), "mine");
  EXPECT_EQ(book.Allocate("host-c", "mine").value(), "mine");
  EXPECT_THAT(book.Allocate("host-d", "mine").error().message, HasSubstr("host-c"));
}

TEST(WorkerBook, DoesNotGrowWithoutEnd) {
  WorkerBook book;
  for (int i = 0; i < 20'000; ++i) book.Register(std::to_string(i), {.device = "cuda:0"});
  EXPECT_LE(book.workers().size(), 10'000u);
}

}  // namespace
}  // namespace kgym::service::kernelgym
