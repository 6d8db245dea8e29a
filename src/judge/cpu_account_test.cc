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

}  // namespace
}  // namespace kgym::judge
