// What is the embedded queue's own: its file, what survives a kill at any write, a full disk.
#include "service/queue/sqlite_queue.h"

#include <fcntl.h>
#include <signal.h>
#include <sqlite3.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <functional>

#include "base/fd.h"
#include "base/files.h"
#include "service/queue/queue_fixture.h"
#include "service/queue/sqlite.h"

namespace kgym::service {
namespace {

using testing::AnyOf;
using testing::HasSubstr;
using Kind = Accepted::Kind;

// Stands in for the writes of SQLite: counts them, ends the process in the middle of one, or finds the disk full.
std::atomic<int> kill_at = 0;  // The number of the write that is not finished; 0: none.
std::atomic<bool> disk_full = false;

ssize_t FaultyWrite(int fd, const void* bytes, size_t size, off_t offset) {
  if (disk_full) {
    errno = ENOSPC;
    return -1;
  }
  if (kill_at > 0 && --kill_at == 0) {
    [[maybe_unused]] const ssize_t torn = pwrite(fd, bytes, size / 2, offset);
    kill(getpid(), SIGKILL);
  }
  return pwrite(fd, bytes, size, offset);
}

class FaultyWrites {
 public:
  FaultyWrites() { Set(reinterpret_cast<sqlite3_syscall_ptr>(FaultyWrite)); }
  ~FaultyWrites() {
    disk_full = false;
    Set(nullptr);  // The system's own again.
  }

 private:
  static void Set(sqlite3_syscall_ptr call) {
    sqlite3_vfs* vfs = sqlite3_vfs_find(nullptr);
    int replaced = 0;
    for (const char* name : {"pwrite", "pwrite64"}) replaced += vfs->xSetSystemCall(vfs, name, call) == SQLITE_OK;
    ASSERT_GT(replaced, 0);
  }
};

class SqliteQueueTest : public testing::Test {
 protected:
  Result<std::unique_ptr<Queue>> Open(std::int64_t max_bytes = 0) {
    return OpenSqliteQueue({.path = path_, .max_bytes = max_bytes, .clock = &clock_});
  }
  void Use(std::int64_t max_bytes = 0) {
    queue_.Use(nullptr);
    queue_.Use(std::move(Open(max_bytes)).value());
  }

  TempDir folder_ = std::move(TempDir::Create("kgym-queue-")).value();
  std::filesystem::path path_ = folder_.path() / "queue.db";
  boost::asio::io_context context_;
  FakeClock clock_;
  Driver queue_{context_};
};

// A life of a few tasks that takes every way there is. The hold of step n may come from a step before it.
using Step = std::function<void(Driver&)>;

const Hold kHold{.worker = "w", .id = "a", .attempt = 1};

std::vector<Step> Script(FakeClock& clock) {
  return {
      [](Driver& queue) {
        queue.Submit({Shared("a", "k"), Shared("twin", "k"), Spec("b")});
      },
      [](Driver& queue) { queue.SubmitOne(Spec("c")); },
      [](Driver& queue) { queue.Lease("a"); },
      [](Driver& queue) { queue.Extend({kHold}, "building"); },
      [](Driver& queue) { queue.Complete(kHold, "{\"result\":\"of a\"}"); },
      [](Driver& queue) { queue.Lease("b"); },
      [](Driver& queue) { queue.HandBack({.worker = "w", .id = "b", .attempt = 1}); },
      [](Driver& queue) { queue.Lease("b"); },
      [](Driver& queue) { queue.Fail({.worker = "w", .id = "b", .attempt = 2}, "the lane died"); },
      [](Driver& queue) { queue.Lease("b"); },
      [&clock](Driver& queue) {
        clock.Advance(11s);
        queue.Expire();
      },
      [](Driver& queue) { queue.Cancel("b"); },
      [](Driver& queue) { queue.Forget({.age = 0s, .count = 1}); },
  };
}

std::string Summary(Driver& queue) {
  std::string text;
  for (const Task& listed : queue.List().tasks) {
    const Task task = queue.Get(listed.spec.id);
    text +=
        Concat(task.spec.id, " ", Name(task.state), " ", task.attempt, " ", task.handed_back, " ", task.stage, " ",
               task.worker, " ", task.attached_to, " ", task.spec.payload, " ", task.result, " ", task.reason, "\n");
  }
  return text;
}

// Runs the script in a process of its own that ends itself in the middle of its `write`th write; returns how many steps
// it said were done, and whether it came to the end.
std::pair<std::size_t, bool> RunAndDie(const std::filesystem::path& path, int write_number) {
  int ends[2];
  KGYM_CHECK_EQ(pipe2(ends, O_CLOEXEC), 0);
  const pid_t child = fork();
  if (child == 0) {
    const FaultyWrites faults;
    kill_at = write_number;
    boost::asio::io_context context;
    FakeClock clock;
    Driver queue(context);
    queue.Use(std::move(OpenSqliteQueue({.path = path, .clock = &clock})).value());
    for (const Step& step : Script(clock)) {
      step(queue);
      KGYM_CHECK_EQ(write(ends[1], ".", 1), 1);
    }
    _exit(0);
  }
  close(ends[1]);
  const Fd reader(ends[0]);
  const std::string said = std::move(ReadAll(reader.get(), 1000)).value();
  int status = 0;
  KGYM_CHECK_EQ(waitpid(child, &status, 0), child);
  return {said.size(), WIFEXITED(status) && WEXITSTATUS(status) == 0};
}

TEST_F(SqliteQueueTest, AKillAtAnyWriteLosesNothingThatWasAnswered) {
  std::vector<std::string> after;  // What is there after so many steps.
  Use();
  after.push_back(Summary(queue_));
  for (const Step& step : Script(clock_)) {
    step(queue_);
    after.push_back(Summary(queue_));
  }
  queue_.Use(nullptr);

  bool finished = false;
  int number = 1;
  for (; !finished; ++number) {
    const TempDir folder = std::move(TempDir::Create("kgym-queue-")).value();
    path_ = folder.path() / "queue.db";
    const auto [steps, end] = RunAndDie(path_, number);
    finished = end;
    Use();
    // The step that was under way may have come to pass, or not; nothing between.
    const std::string& next = after[std::min(steps + 1, after.size() - 1)];
    ASSERT_THAT(Summary(queue_), AnyOf(after[steps], next)) << "killed in write " << number << " after " << steps;
    ASSERT_EQ(queue_.SubmitOne(Spec("more")).kind, Kind::kNew);
    queue_.Use(nullptr);
  }
  EXPECT_GT(number, 30);
}

TEST_F(SqliteQueueTest, AKillFromOutsideLosesNothingThatWasAnswered) {
  for (const int enough : {1, 7, 40}) {
    int ends[2];
    ASSERT_EQ(pipe2(ends, O_CLOEXEC), 0);
    const pid_t child = fork();
    if (child == 0) {
      boost::asio::io_context context;
      Driver queue(context);
      queue.Use(std::move(OpenSqliteQueue({.path = path_})).value());
      for (int i = 0;; ++i) {
        queue.SubmitOne(Spec(Concat(enough, "-", i)));
        if (write(ends[1], ".", 1) != 1) _exit(1);
      }
    }
    close(ends[1]);
    const Fd reader(ends[0]);
    char byte = 0;
    int answered = 0;
    while (answered < enough && read(reader.get(), &byte, 1) == 1) ++answered;
    kill(child, SIGKILL);
    while (read(reader.get(), &byte, 1) == 1) ++answered;
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status));
    Use();
    for (int i = 0; i < answered; ++i) EXPECT_TRUE(queue_.Find(Concat(enough, "-", i))) << i << " of " << answered;
    queue_.Use(nullptr);
  }
}

TEST_F(SqliteQueueTest, AFullDiskIsToldAndGotOver) {
  const FaultyWrites faults;
  Use();
  queue_.SubmitOne(Spec("a"));
  const Hold held = HoldOf(*queue_.Lease("a"));

  disk_full = true;
  const auto refused = queue_.Await(queue_.queue().Submit({Spec("b")}));
  ASSERT_FALSE(refused);
  EXPECT_THAT(refused.error().message, HasSubstr("no room left"));
  EXPECT_THAT(refused.error().message, HasSubstr(path_.string()));
  EXPECT_FALSE(queue_.Await(queue_.queue().Complete(held, "{}")));
  EXPECT_EQ(queue_.Find("b"), std::nullopt);
  EXPECT_EQ(queue_.Get("a").state, TaskState::kRunning);
  EXPECT_THAT(queue_.Stats().by_state, testing::ElementsAre(0, 1, 0, 0, 0));

  disk_full = false;
  EXPECT_EQ(queue_.Complete(held, "{\"ok\":1}"), Told::kStored);
  EXPECT_EQ(queue_.SubmitOne(Spec("b")).kind, Kind::kNew);
  Use();
  EXPECT_EQ(queue_.Get("a").result, "{\"ok\":1}");
  EXPECT_THAT(queue_.Stats().by_state, testing::ElementsAre(1, 0, 1, 0, 0));
}

TEST_F(SqliteQueueTest, AFileOfBoundedSizeTakesMoreOnceItForgot) {
  Use(1 << 20);
  TaskSpec large = Spec("0");
  large.payload = std::string(100'000, 'x');
  int accepted = 0;
  while (queue_.Await(queue_.queue().Submit({large}))) large.id = std::to_string(++accepted);
  EXPECT_GT(accepted, 5);
  EXPECT_EQ(queue_.Find(large.id), std::nullopt);
  queue_.Cancel("0");
  queue_.Cancel("1");
  EXPECT_EQ(queue_.Forget({.count = 0}), 2);
  EXPECT_EQ(queue_.SubmitOne(large).kind, Kind::kNew);
}

TEST_F(SqliteQueueTest, WhatDoesNotFitFailsAlone) {
  Use(1 << 20);
  TaskSpec huge = Spec("huge");
  huge.payload = std::string(2 << 20, 'x');
  std::vector<std::string> log;
  const auto submit = [&](TaskSpec spec) -> Awaitable<void> {
    const std::string id = spec.id;
    std::vector<TaskSpec> one = {std::move(spec)};
    const auto answer = co_await queue_.queue().Submit(std::move(one));
    log.push_back(id + (answer ? " ok" : " no room"));
  };
  Spawn(context_.get_executor(), submit(Spec("a")));
  Spawn(context_.get_executor(), submit(huge));
  Spawn(context_.get_executor(), submit(Spec("b")));
  context_.restart();
  context_.run();
  EXPECT_THAT(log, testing::UnorderedElementsAre("a ok", "huge no room", "b ok"));
  EXPECT_EQ(queue_.Stats().accepted, 2);
}

TEST_F(SqliteQueueTest, AFileBelongsToOneQueue) {
  Use();
  const auto second = Open();
  ASSERT_FALSE(second);
  EXPECT_THAT(second.error().message, HasSubstr("another process has it open"));
}

TEST_F(SqliteQueueTest, AFileOfANewerProgramIsLeftAlone) {
  {
    auto database = std::move(Database::Open(path_)).value();
    ASSERT_TRUE(database->Run("CREATE TABLE later (x); PRAGMA user_version = 99;"));
  }
  const auto opened = Open();
  ASSERT_FALSE(opened);
  EXPECT_THAT(opened.error().message, HasSubstr("version 99"));
  auto database = std::move(Database::Open(path_)).value();
  EXPECT_EQ(*database->Int("SELECT COUNT(*) FROM sqlite_schema"), 1);
}

TEST_F(SqliteQueueTest, AFileOfSomethingElseIsRefused) {
  ASSERT_TRUE(WriteFileAtomic(path_, std::string(5000, 'x')));
  EXPECT_THAT(Open().error().message, HasSubstr("is not a queue file"));
  path_ = folder_.path() / "no such folder" / "queue.db";
  EXPECT_THAT(Open().error().message, HasSubstr("unable to open"));
}

TEST_F(SqliteQueueTest, CallsUnderWayAreAnsweredBeforeItCloses) {
  Use();
  int answered = 0;
  const auto submit = [&](int number) -> Awaitable<void> {
    std::vector<TaskSpec> one = {Spec(std::to_string(number))};
    const auto answer = co_await queue_.queue().Submit(std::move(one));
    answered += answer.ok() ? 1 : 0;
  };
  for (int i = 0; i < 50; ++i) Spawn(context_.get_executor(), submit(i));
  context_.restart();
  context_.poll();  // Up to where they wait.
  queue_.Use(nullptr);
  context_.restart();
  context_.run();
  EXPECT_EQ(answered, 50);
}

}  // namespace
}  // namespace kgym::service
