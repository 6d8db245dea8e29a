#include "judge/sandbox/process_table.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>

namespace kgym::judge::sandbox {
namespace {

class ProcessTableTest : public testing::Test {
 protected:
  void SetUp() override {
    child_ = fork();
    ASSERT_GE(child_, 0);
    while (child_ == 0) pause();  // The child stays here.
  }

  void TearDown() override {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }

  void AwaitStop() const {
    int status = 0;
    ASSERT_EQ(waitpid(child_, &status, WUNTRACED), child_);
    ASSERT_TRUE(WIFSTOPPED(status));
  }

  pid_t child_ = -1;
};

TEST_F(ProcessTableTest, ShowsWhoThereIs) {
  EXPECT_TRUE(SeesOwnProcesses());
  EXPECT_EQ(std::ranges::count(OtherProcesses(), child_), 1);
  EXPECT_EQ(std::ranges::count(OtherProcesses(), getpid()), 0);
  EXPECT_EQ(std::ranges::count(ChildrenOf(getpid()).value_or(std::vector<pid_t>()), child_), 1);
  EXPECT_TRUE(Lives(child_));
}

TEST_F(ProcessTableTest, ARunningProcessHasLostTheStopThatItWasSent) {
  EXPECT_FALSE(StandsStill(child_));
  EXPECT_TRUE(HasLostStop(child_));
}

TEST_F(ProcessTableTest, AStoppedProcessStandsStillUntilItIsWoken) {
  StopThreads(child_);
  AwaitStop();
  EXPECT_TRUE(StandsStill(child_));
  EXPECT_FALSE(HasLostStop(child_));
  EXPECT_TRUE(Lives(child_));
  kill(child_, SIGCONT);
  EXPECT_FALSE(StandsStill(child_));
  EXPECT_TRUE(HasLostStop(child_));
}

TEST_F(ProcessTableTest, TheDeadStandStill) {
  kill(child_, SIGKILL);
  siginfo_t end = {};
  ASSERT_EQ(waitid(P_PID, static_cast<id_t>(child_), &end, WEXITED | WNOWAIT), 0);
  EXPECT_TRUE(StandsStill(child_));
  EXPECT_FALSE(Lives(child_));
}

}  // namespace
}  // namespace kgym::judge::sandbox
