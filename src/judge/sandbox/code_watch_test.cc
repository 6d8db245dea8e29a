#include "judge/sandbox/code_watch.h"

#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <atomic>

#include <nlohmann/json.hpp>

namespace kgym::judge::sandbox {
namespace {

TEST(CodeWatch, ReadsWhereAThreadStandsStill) {
  const std::optional<Place> user = ParsePlace("-1 0x7ffe7d4d8cc8 0x7fe0da4fd2c1\n");
  ASSERT_TRUE(user);
  EXPECT_FALSE(user->in_system);
  EXPECT_EQ(user->address, 0x7fe0da4fd2c1u);
  const std::optional<Place> system = ParsePlace("0 0x3 0x55 0x400 0x0 0x0 0x0 0x7ffe7d4d8cc8 0x7fe0da4fd2c1\n");
  ASSERT_TRUE(system);
  EXPECT_TRUE(system->in_system);
  EXPECT_FALSE(ParsePlace("running\n"));
  EXPECT_FALSE(ParsePlace(""));
}

constexpr const char* kMaps =
    "1000-2000 r--p 00000000 08:01 7 /lib/a.so\n"
    "2000-3000 r-xp 00001000 08:01 7                          /lib/a.so\n"
    "5000-6000 rwxp 00000000 00:00 0 \n"
    "6000-7000 r-xp 00000000 00:01 9 /memfd:my kernel (deleted)\n"
    "nonsense\n";

TEST(CodeWatch, FindsTheFileAndTheOffsetOfAnAddress) {
  const CodeMap map(kMaps);
  EXPECT_EQ(map.At(0x2010)->file, "/lib/a.so");
  EXPECT_EQ(map.At(0x2010)->offset, 0x1010u);
  EXPECT_EQ(map.At(0x5000)->file, "[anonymous]");
  EXPECT_EQ(map.At(0x6fff)->file, "/memfd:my kernel (deleted)");
  for (const std::uint64_t elsewhere : {0x0u, 0x1010u, 0x3000u, 0x7000u}) EXPECT_FALSE(map.At(elsewhere)) << elsewhere;
}

TEST(CodeWatch, CountsThreadsInTheKernelApart) {
  CodeWatch watch;
  watch.Look({getpid()});  // Which is reading just then.
  const auto report = nlohmann::json::parse(watch.Report());
  EXPECT_EQ(report["looks"], 1);
  EXPECT_EQ(report["in_system"], 1);
  EXPECT_TRUE(report["files"].empty());
}

/// A child that is stopped in the middle of its own code: by a timer, since who sends a signal cannot know where it is.
pid_t StoppedAtWork() {
  const pid_t child = fork();
  if (child == 0) {
    timer_t timer = {};
    sigevent event = {};
    event.sigev_notify = SIGEV_SIGNAL;
    event.sigev_signo = SIGSTOP;
    const itimerspec in_5_ms = {{0, 0}, {0, 5'000'000}};
    if (timer_create(CLOCK_PROCESS_CPUTIME_ID, &event, &timer) != 0) _exit(1);
    timer_settime(timer, 0, &in_5_ms, nullptr);
    for (std::atomic<int> turns = 0;;) ++turns;
  }
  int status = 0;
  return waitpid(child, &status, WUNTRACED) == child && WIFSTOPPED(status) ? child : -1;
}

TEST(CodeWatch, AThreadThatWasGivenNoCoreDoesNoWork) {
  const pid_t child = StoppedAtWork();
  ASSERT_GT(child, 0);
  const auto met = [](const CodeWatch& watch) {
    const auto report = nlohmann::json::parse(watch.Report());
    std::size_t places = 0;
    for (const auto& file : report["files"]) places += file.size();
    return places;
  };
  CodeWatch watch;
  watch.Look({child});
  EXPECT_EQ(met(watch), 1u);
  watch.Look({child, getpid()});  // Only the second one has run since.
  EXPECT_EQ(met(watch), 1u);
  kill(child, SIGKILL);
  waitpid(child, nullptr, 0);
}

TEST(CodeWatch, AProcessThatIsGoneHasNoThreads) {
  CodeWatch watch;
  watch.Look({-1});
  EXPECT_EQ(watch.Report(), R"({"files":{},"in_system":0,"looks":1,"unreadable":0})");
}

}  // namespace
}  // namespace kgym::judge::sandbox
