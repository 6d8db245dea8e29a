#include "judge/cpu_account.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>

namespace kgym::judge {
namespace {

constexpr pid_t kNobody = (1 << 22) + 1;  // Above the largest that Linux gives.

class CpuAccountTest : public testing::Test {
 protected:
  CpuAccountTest() { std::filesystem::create_directory(folder_); }
  ~CpuAccountTest() override { std::filesystem::remove_all(folder_); }

  void Write(const char* file, const char* text) const { std::ofstream(folder_ / file) << text; }

  const std::filesystem::path folder_ =
      std::filesystem::temp_directory_path() / ("kgym-cpu-" + std::to_string(::getpid()));
};

TEST_F(CpuAccountTest, ReadsEitherVersionAndEachTimeAnew) {
  Write("cpu.stat", "nr_periods 7\nusage_usec 1234\nuser_usec 1000\nsystem_usec 234\n");
  const CpuAccount second({folder_ / "none", folder_}, kNobody);
  EXPECT_EQ(second.UsedNs(kNobody), 1'234'000);
  Write("cpuacct.usage", "1234567\n");
  const CpuAccount first({folder_}, kNobody);
  EXPECT_EQ(first.UsedNs(kNobody), 1'234'567) << "of both, the finer one";
  Write("cpuacct.usage", "2234567\n");
  EXPECT_EQ(first.UsedNs(kNobody), 2'234'567);
}

TEST_F(CpuAccountTest, WhatCountsNothingIsNoAccount) {
  Write("cpu.stat", "nr_periods 7\nnr_throttled 0\n");
  EXPECT_EQ(CpuAccount({folder_}, kNobody).UsedNs(kNobody), 0);
  EXPECT_GT(CpuAccount({folder_}, kNobody).UsedNs(::getpid()), 0) << "then the processes are asked";
  EXPECT_GT(CpuAccount({}, kNobody).UsedNs(::getpid()), 0);
}

TEST_F(CpuAccountTest, AHostIsStarvedWhileOthersHaveItsCore) {
  const CpuUse start{.used = 50, .first_ran = 40, .first_waited = 7};
  EXPECT_EQ(Starved(start, start), Duration(0));
  EXPECT_EQ(Starved(start, {.used = 60, .first_ran = 50, .first_waited = 107}), Duration(100));
  EXPECT_EQ(Starved(start, {.used = 90, .first_ran = 50, .first_waited = 107}), Duration(70))
      << "30 were used by other threads of its own";
  EXPECT_EQ(Starved(start, {.used = 900, .first_ran = 50, .first_waited = 107}), Duration(0));
  EXPECT_EQ(Starved(start, {.used = 55, .first_ran = 50, .first_waited = 107}), Duration(100))
      << "the two accounts are not read at one moment";
  EXPECT_EQ(Starved(start, {.used = 60, .first_ran = 50, .first_waited = 57, .judge_waited = 20}), Duration(70));
}

TEST_F(CpuAccountTest, TellsHowTheFirstThreadFares) {
  const CpuUse use = CpuAccount({}, kNobody).Use(::getpid());
  EXPECT_GT(use.first_ran, 0);
  EXPECT_GE(use.first_waited, 0);
  const CpuUse nobody = CpuAccount({}, kNobody).Use(kNobody);
  EXPECT_EQ(nobody.first_ran + nobody.first_waited + nobody.used, 0);
}

}  // namespace
}  // namespace kgym::judge
