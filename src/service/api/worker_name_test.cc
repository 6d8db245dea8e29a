#include "service/api/worker_name.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <optional>

#include "base/files.h"

namespace kgym::service {
namespace {

class WorkerNameTest : public testing::Test {
 protected:
  TempDir temp_ = *TempDir::Create("kgym-names");
  std::filesystem::path folder_ = temp_.path() / "names";
};

TEST_F(WorkerNameTest, TheNextOneIsToldWhoWasThereBefore) {
  std::optional<WorkerName> first = TakeWorkerName(folder_);
  EXPECT_FALSE(first->name.empty());
  EXPECT_EQ(first->before, "");
  const std::string name = first->name;
  first.reset();
  const WorkerName second = TakeWorkerName(folder_);
  EXPECT_EQ(second.before, name);
  EXPECT_NE(second.name, name);
}

TEST_F(WorkerNameTest, OneThatLivesIsNobodysPast) {
  const WorkerName a = TakeWorkerName(folder_);
  std::optional<WorkerName> b = TakeWorkerName(folder_);
  EXPECT_EQ(b->before, "");
  EXPECT_NE(a.name, b->name);
  const std::string name = b->name;
  b.reset();
  EXPECT_EQ(TakeWorkerName(folder_).before, name);
}

TEST_F(WorkerNameTest, AProcessThatWasKilledIsDead) {
  const pid_t child = fork();
  if (child == 0) {
    const WorkerName its = TakeWorkerName(folder_);
    raise(SIGKILL);
  }
  int status = 0;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_NE(TakeWorkerName(folder_).before, "");
}

TEST_F(WorkerNameTest, WithoutAFolderThereIsANameAllTheSame) {
  ASSERT_TRUE(WriteFileAtomic(folder_, "no folder").ok());
  const WorkerName taken = TakeWorkerName(folder_);
  EXPECT_FALSE(taken.name.empty());
  EXPECT_EQ(taken.before, "");
}

}  // namespace
}  // namespace kgym::service
