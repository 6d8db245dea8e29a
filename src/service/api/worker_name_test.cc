#include "service/api/worker_name.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/files.h"

namespace kgym::service {
namespace {

using ::testing::ElementsAre;
using ::testing::IsEmpty;
using ::testing::SizeIs;

class WorkerNameTest : public testing::Test {
 protected:
  TempDir temp_ = *TempDir::Create("kgym-names");
  std::filesystem::path folder_ = temp_.path() / "names";
};

TEST_F(WorkerNameTest, TheNextOneIsToldWhoWasThereBefore) {
  std::optional<WorkerName> first = TakeWorkerName(folder_);
  EXPECT_FALSE(first->name.empty());
  EXPECT_THAT(first->before, IsEmpty());
  const std::string name = first->name;
  first.reset();
  const WorkerName second = TakeWorkerName(folder_);
  EXPECT_THAT(second.before, ElementsAre(name));
  EXPECT_NE(second.name, name);
}

TEST_F(WorkerNameTest, ProcessesThatNeverJoinedHideNobody) {
  const std::string ran = TakeWorkerName(folder_).name;
  for (int i = 0; i < 10; ++i) TakeWorkerName(folder_);  // Its queue is away, and a service manager tries again.
  const WorkerName last = TakeWorkerName(folder_);
  EXPECT_THAT(last.before, SizeIs(11));
  EXPECT_EQ(last.before.front(), ran);
  for (int i = 0; i < 100; ++i) TakeWorkerName(folder_.parent_path() / "many");
  EXPECT_THAT(TakeWorkerName(folder_.parent_path() / "many").before, SizeIs(32));
}

TEST_F(WorkerNameTest, OneThatLivesIsNobodysPast) {
  const WorkerName a = TakeWorkerName(folder_);
  std::optional<WorkerName> b = TakeWorkerName(folder_);
  EXPECT_THAT(b->before, IsEmpty());
  EXPECT_NE(a.name, b->name);
  const std::string name = b->name;
  b.reset();
  EXPECT_THAT(TakeWorkerName(folder_).before, ElementsAre(name));
}

TEST_F(WorkerNameTest, AProcessThatWasKilledIsDead) {
  const pid_t child = fork();
  if (child == 0) {
    const WorkerName its = TakeWorkerName(folder_);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_THAT(TakeWorkerName(folder_).before, SizeIs(1));
}

TEST_F(WorkerNameTest, WithoutAFolderThereIsANameAllTheSame) {
  ASSERT_TRUE(WriteFileAtomic(folder_, "no folder").ok());
  const WorkerName taken = TakeWorkerName(folder_);
  EXPECT_FALSE(taken.name.empty());
  EXPECT_THAT(taken.before, IsEmpty());
}

}  // namespace
}  // namespace kgym::service
