// Supervisors without any namespace, as an ordinary user may have them; tests/python/test_sandbox.py has the rest.
#include "judge/sandbox/supervisor.h"

#include <gtest/gtest.h>
#include <poll.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <functional>
#include <nlohmann/json.hpp>
#include <string_view>
#include <thread>

#include "judge/sandbox/contain.h"

namespace kgym::judge::sandbox {
namespace {

class SupervisorTest : public testing::Test {
 protected:
  void Start(const std::function<int()>& host) {
    int ends[2] = {};
    ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
    judge_ = ends[0];
    SandboxSpec spec;
    spec.namespaces.clear();
    const Forked forked = ForkHost(spec, ends[1], {});
    if (forked.is_host) _exit(host());
    close(ends[1]);
    ASSERT_EQ(forked.error, "");
    pidfd_ = forked.pidfd;
  }

  void TearDown() override {
    if (judge_ >= 0) close(judge_);
    EXPECT_TRUE(Gone());
    close(pidfd_);
    EXPECT_EQ(Reap().size(), 1u);
  }

  void Tell(char letter) const { ASSERT_EQ(send(judge_, &letter, 1, 0), 1); }

  std::string Hear() const {
    pollfd wait = {judge_, POLLIN, 0};
    char buffer[256];
    if (poll(&wait, 1, 10'000) <= 0) return "(silence)";
    const ssize_t n = recv(judge_, buffer, sizeof buffer, 0);
    return n <= 0 ? "(end)" : std::string(buffer, static_cast<std::size_t>(n));
  }

  bool Gone() const {
    pollfd wait = {pidfd_, POLLIN, 0};
    return poll(&wait, 1, 10'000) == 1;
  }

  int judge_ = -1;
  int pidfd_ = -1;
};

int WaitForEver() {
  while (true) pause();
}

TEST_F(SupervisorTest, ReportsExitCode) {
  Start([] { return 7; });
  EXPECT_EQ(Hear(), "X exit 7");
  EXPECT_EQ(Hear(), "(end)");
}

TEST_F(SupervisorTest, ReportsSignal) {
  Start([] { return kill(getpid(), SIGKILL); });
  EXPECT_EQ(Hear(), "X signal 9");
}

TEST_F(SupervisorTest, FreezesThawsAndCounts) {
  Start(WaitForEver);
  Tell('F');
  EXPECT_EQ(Hear(), "F");
  Tell('D');
  EXPECT_EQ(Hear(), "D 0");
  Tell('F');
  EXPECT_EQ(Hear(), "F");
  Tell('T');
  EXPECT_EQ(Hear(), "T");
}

TEST_F(SupervisorTest, PausesWithoutAnAnswerAndStillAnswers) {
  Start(WaitForEver);
  Tell('P');
  Tell('F');
  EXPECT_EQ(Hear(), "F");  // Not "T woken" later: the pause is none of the host's doing.
  Tell('T');
  EXPECT_EQ(Hear(), "T");
  Tell('R');
  Tell('F');
  EXPECT_EQ(Hear(), "F");
  Tell('P');
  Tell('R');  // Of a frozen host: it stays frozen.
  Tell('T');
  EXPECT_EQ(Hear(), "T");
}

TEST_F(SupervisorTest, KillsEvenThePaused) {
  Start(WaitForEver);
  Tell('P');
  Tell('K');
  EXPECT_EQ(Hear(), "X signal 9");
}

TEST_F(SupervisorTest, KillsEvenTheFrozen) {
  Start(WaitForEver);
  Tell('F');
  EXPECT_EQ(Hear(), "F");
  Tell('K');
  EXPECT_EQ(Hear(), "X signal 9");
}

TEST_F(SupervisorTest, EndOfFileKills) {
  Start(WaitForEver);
  close(judge_);
  judge_ = -1;
}

TEST_F(SupervisorTest, CountsAndKillsWhatOutlivesTheHost) {
  Start([] {
    int ready[2] = {};
    if (pipe(ready) != 0) return 1;
    if (fork() == 0) {
      setsid();
      if (write(ready[1], "x", 1) != 1) _exit(1);
      WaitForEver();
    }
    char byte = 0;
    return read(ready[0], &byte, 1) == 1 ? 0 : 1;
  });
  EXPECT_EQ(Hear(), "X exit 0 daemons 1");
}

TEST_F(SupervisorTest, FreezesAHostWhoseThreadWaitsInTheKernel) {
  Start([] {
    int ready[2] = {};
    if (pipe(ready) != 0) return 1;
    // The thread that a signal for the process goes to first waits for its child, and the child will be stopped.
    std::thread([to = ready[1]] {
      if (write(to, "x", 1) == 1) WaitForEver();
    }).detach();
    char byte = 0;
    if (read(ready[0], &byte, 1) != 1) return 1;
    if (vfork() == 0) WaitForEver();
    return 0;
  });
  for (int round = 0; round < 3; ++round) {
    Tell('F');
    EXPECT_EQ(Hear(), "F");
    Tell('T');
    EXPECT_EQ(Hear(), "T");
  }
}

TEST_F(SupervisorTest, TellsThatAHostIsWokenAgainAndAgain) {
  struct Pids {
    std::atomic<pid_t> host, child;
  };
  auto* pids =
      static_cast<Pids*>(mmap(nullptr, sizeof(Pids), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0));
  ASSERT_NE(pids, MAP_FAILED);
  Start([pids] {
    pids->host = getpid();
    const pid_t child = fork();
    if (child == 0) WaitForEver();
    pids->child = child;
    return WaitForEver();
  });
  while (pids->child == 0) std::this_thread::yield();
  const std::jthread waking([pids](const std::stop_token& enough) {
    while (!enough.stop_requested()) {
      kill(pids->host, SIGCONT);
      kill(pids->child, SIGCONT);
    }
  });
  // It may stand still for the moment that it takes to freeze it, or never; either way it is known at last.
  std::string heard;
  for (char letter = 'F'; heard.empty() || heard == "F" || heard == "T"; letter = letter == 'F' ? 'T' : 'F') {
    send(judge_, &letter, 1, 0);  // In vain where the host has just been ended for it.
    heard = Hear();
  }
  EXPECT_TRUE(heard.ends_with(" woken")) << heard;
}

// Looks at a host until one look has met what is asked for.
nlohmann::json LookedAt(const std::function<void(std::string_view)>& tell, const std::function<std::string()>& hear,
                        const std::function<bool(const nlohmann::json&)>& enough) {
  nlohmann::json report;
  do {
    for (const char* text : {"F", "S 50 4", "T", "F", "E", "T"}) {
      tell(text);
      const std::string heard = hear();
      if (heard != std::string(1, text[0])) report = nlohmann::json::parse(heard.substr(2), nullptr, false);
    }
  } while (report.is_object() && !enough(report));
  return report;
}

// Not through a sanitizer's library: that would be where it runs.
__attribute__((no_sanitize("thread"))) int RunForEver() {
  while (true) asm volatile("");
}

TEST_F(SupervisorTest, SeesWhereAHostRuns) {
  Start(RunForEver);
  const auto tell = [this](std::string_view text) { send(judge_, text.data(), text.size(), 0); };
  const std::string self = std::filesystem::read_symlink("/proc/self/exe");
  const auto runs = [&self](const nlohmann::json& report) { return report["files"].contains(self); };
  const nlohmann::json report = LookedAt(
      tell, [this] { return Hear(); }, runs);
  ASSERT_TRUE(report.is_object());
  EXPECT_LE(report["looks"], 4);
}

TEST_F(SupervisorTest, SeesThatAHostWaits) {
  Start(WaitForEver);
  const auto tell = [this](std::string_view text) { send(judge_, text.data(), text.size(), 0); };
  const auto waits = [](const nlohmann::json& report) { return report["in_system"] > 0; };
  EXPECT_TRUE(LookedAt(
                  tell, [this] { return Hear(); }, waits)
                  .is_object());
}

TEST_F(SupervisorTest, RefusesAStrictHost) {
  int ends[2] = {};
  ASSERT_EQ(socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends), 0);
  judge_ = ends[0];
  SandboxSpec spec;
  spec.namespaces.clear();
  spec.strict = true;
  const Forked forked = ForkHost(spec, ends[1], {});
  if (forked.is_host) _exit(0);
  close(ends[1]);
  pidfd_ = forked.pidfd;
  EXPECT_TRUE(Hear().starts_with("X setup sandbox: step 'pid_namespace'"));
}

}  // namespace
}  // namespace kgym::judge::sandbox
