// Who asks for the same end at the same time shares one look at the queue.
#include "service/api/end_reader.h"

#include "base/files.h"
#include "base/json.h"
#include "service/queue/queue_fixture.h"
#include "service/queue/sqlite_queue.h"

namespace kgym::service {
namespace {

using SharedEnd = std::shared_ptr<const TaskEnd>;

class EndReaderTest : public testing::Test {
 protected:
  EndReaderTest() {
    queue_.Use(OpenSqliteQueue({.path = folder_.path() / "queue.sqlite"}).value());
    ends_.emplace(io_.get_executor(), queue_.queue());
  }

  std::vector<SharedEnd> ReadAtOnce(const std::vector<std::string>& ids) {
    std::vector<SharedEnd> ends(ids.size());
    const auto read = [this](std::string id, SharedEnd& end) -> Awaitable<void> {
      Result<SharedEnd> found = co_await ends_->Read(std::move(id));
      end = *std::move(found);
    };
    for (std::size_t i = 0; i < ids.size(); ++i) Spawn(io_.get_executor(), read(ids[i], ends[i]));
    io_.restart();
    io_.run();
    return ends;
  }

  void End(const std::string& id) {
    queue_.SubmitOne(Spec(id));
    queue_.Complete(HoldOf(*queue_.Lease(id)), R"({"verdict":{"outcome":"ok","reason":"","speedup":2.0}})");
  }

  TempDir folder_ = TempDir::Create("ends").value();
  boost::asio::io_context io_{1};
  Driver queue_{io_};
  std::optional<EndReader> ends_;
};

TEST_F(EndReaderTest, ManyAtOnceGetTheSame) {
  End("a");
  End("b");
  const std::vector<SharedEnd> ends = ReadAtOnce({"a", "b", "a", "a"});
  ASSERT_NE(ends[0], nullptr);
  EXPECT_EQ(ends[2], ends[0]);
  EXPECT_EQ(ends[3], ends[0]);
  EXPECT_EQ(ends[0]->task.state, TaskState::kDone);
  EXPECT_EQ(ParseJson(ends[0]->json)->at("outcome"), "ok");
  ASSERT_NE(ends[1], nullptr);
  EXPECT_EQ(ends[1]->task.spec.id, "b");
}

TEST_F(EndReaderTest, NothingIsKept) {
  End("a");
  const SharedEnd first = ReadAtOnce({"a"})[0];
  const SharedEnd second = ReadAtOnce({"a"})[0];
  EXPECT_NE(first, second);
  EXPECT_EQ(first->json, second->json);
}

TEST_F(EndReaderTest, WhatIsUnknownOrRunsHasNoEnd) {
  queue_.SubmitOne(Spec("waits"));
  EXPECT_EQ(ReadAtOnce({"waits", "waits", "unknown"}), std::vector<SharedEnd>(3));
}

}  // namespace
}  // namespace kgym::service
