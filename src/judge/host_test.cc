#include "judge/host.h"

#include <gtest/gtest.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <boost/asio/io_context.hpp>
#include <filesystem>
#include <fstream>
#include <optional>

#include "judge/cgroup_folder.h"
#include "judge/fake_host.h"

namespace kgym::judge {
namespace {

constexpr std::int64_t kWork = 50'000'000;  // Nanoseconds.

std::int64_t OwnCpuNs() {
  timespec used{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &used);
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

Awaitable<void> AskInto(std::optional<Answer>& answer, Host& host) {
  Json request = {{"op", "call"}};
  answer = co_await host.Call(std::move(request), {}, 10s);
}

Answer Ask(boost::asio::io_context& io, Host& host) {
  std::optional<Answer> answer;
  Spawn(io.get_executor(), AskInto(answer, host));
  io.restart();
  while (!answer) io.run_one();
  return std::move(*answer);
}

TEST(Host, CountsProcessesThatHaveEndedAndWereWaitedFor) {
  boost::asio::io_context io{1};
  std::pair<Fd, Fd> control = std::move(MakeChannelPair().value());
  std::pair<Fd, Fd> work = std::move(MakeChannelPair().value());
  std::pair<Fd, Fd> output = std::move(MakeChannelPair().value());
  Host::Parts parts;
  parts.supervisor = ::getpid();  // The parent of those that have lost theirs.
  parts.control = std::move(control.first);
  parts.work = std::move(work.first);
  parts.output = std::move(output.first);
  Host host(io.get_executor(), std::move(parts));
  const std::int64_t before = host.CpuNs();
  const pid_t child = ::fork();
  if (child == 0) {
    while (OwnCpuNs() < kWork) continue;
    ::_exit(0);
  }
  ASSERT_EQ(::waitpid(child, nullptr, 0), child);
  EXPECT_GE(host.CpuNs() - before, kWork / 2);
}

TEST(Host, IsNotAskedAnyMoreOnceItWasWoken) {
  boost::asio::io_context io{1};
  FakeHost fake(io.get_executor(), HostKind::kCandidate, nullptr);
  const std::string end = "X signal 9 woken";
  ASSERT_EQ(::send(fake.supervisor.get(), end.data(), end.size(), 0), static_cast<ssize_t>(end.size()));
  const Answer answer = Ask(io, *fake.host);
  EXPECT_EQ(answer.what, Answer::What::kWoken);
  EXPECT_EQ(Ask(io, *fake.host).what, Answer::What::kWoken);
}

TEST(CgroupCpu, ReadsEitherVersion) {
  const std::filesystem::path folder =
      std::filesystem::temp_directory_path() / ("kgym-cpu-" + std::to_string(::getpid()));
  std::filesystem::create_directory(folder);
  EXPECT_EQ(CgroupCpuNs({folder}), 0);
  std::ofstream(folder / "cpu.stat") << "usage_usec 1234\nuser_usec 1000\nsystem_usec 234\n";
  EXPECT_EQ(CgroupCpuNs({folder / "none", folder}), 1'234'000);
  std::ofstream(folder / "cpuacct.usage") << "1234567\n";
  EXPECT_EQ(CgroupCpuNs({folder}), 1'234'567);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace kgym::judge
