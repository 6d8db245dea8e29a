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

Awaitable<void> FreezeOnce(Host& host) {
  const Status frozen = co_await host.Freeze();
  EXPECT_TRUE(frozen.ok());
}

/// What a host says that has done what it was asked last.
std::string Reply(FakeHost& fake) {
  std::string question(4096, '\0');
  question.resize(static_cast<std::size_t>(::recv(fake.process.get(), question.data(), question.size(), 0)));
  return "{\"nonce\":\"" + ParseJson(question).value()["nonce"].get<std::string>() + "\",\"ok\":true}";
}

/// The answer to a question that is answered with `body` and its nonce, `padding` spaces and `copies` descriptors.
Answer AskAndAnswer(const std::string& body, std::size_t padding, std::size_t copies) {
  boost::asio::io_context io{1};
  FakeHost fake(io.get_executor(), HostKind::kCandidate, nullptr);
  std::optional<Answer> answer;
  Spawn(io.get_executor(), AskInto(answer, *fake.host));
  io.poll();
  std::string question(4096, '\0');
  question.resize(static_cast<std::size_t>(::recv(fake.process.get(), question.data(), question.size(), 0)));
  const std::string nonce = ParseJson(question).value()["nonce"].get<std::string>();
  std::string packet = "{\"nonce\":\"" + nonce + "\"," + body + std::string(padding, ' ');
  iovec part{packet.data(), packet.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(253 * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (copies > 0) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    *c = {CMSG_LEN(copies * sizeof(int)), SOL_SOCKET, SCM_RIGHTS};
    for (std::size_t i = 0; i < copies; ++i) reinterpret_cast<int*>(CMSG_DATA(c))[i] = STDERR_FILENO;
  }
  EXPECT_EQ(::sendmsg(fake.process.get(), &header, 0), static_cast<ssize_t>(packet.size()));
  io.restart();
  while (!answer) io.run_one();
  return std::move(*answer);
}

TEST(Host, TakesAnAnswerAsLongAsAPacketWithSixtyFourDescriptors) {
  const Answer answer = AskAndAnswer("\"ok\":true}", 190 * 1024, 64);
  EXPECT_EQ(answer.what, Answer::What::kDone);
  EXPECT_EQ(answer.fds.size(), 64U);
}

TEST(Host, WhatIsMoreThanThatIsNoAnswer) {
  EXPECT_EQ(AskAndAnswer("\"ok\":true}", 200 * 1024, 0).what, Answer::What::kForged);
  const Answer answer = AskAndAnswer("\"ok\":true}", 0, 65);
  EXPECT_EQ(answer.what, Answer::What::kForged);
  EXPECT_LE(answer.fds.size(), 64U) << "those that came are closed with the answer";
}

TEST(Host, AnAnswerSaysWhetherItIsOne) {
  EXPECT_EQ(AskAndAnswer("\"ok\":false}", 0, 0).what, Answer::What::kFailed);
  EXPECT_EQ(AskAndAnswer("\"ok\":1}", 0, 0).what, Answer::What::kForged);
  EXPECT_EQ(AskAndAnswer("\"ok\":true,\"nonce\":\"0\"}", 0, 0).what, Answer::What::kForged);
  EXPECT_EQ(AskAndAnswer("\"ok\":true", 0, 0).what, Answer::What::kForged);
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

/// A host that stands still is asked; the supervisor answers the waking with `woken`, before or after its own answer.
Answer AskWhileItStands(std::string_view woken, bool answers_first) {
  boost::asio::io_context io{1};
  FakeHost fake(io.get_executor(), HostKind::kCandidate, nullptr);
  const auto say = [](Fd& end, std::string_view text) { return ::send(end.get(), text.data(), text.size(), 0) > 0; };
  Spawn(io.get_executor(), FreezeOnce(*fake.host));
  io.poll();
  EXPECT_EQ(fake.Told(), "F");
  EXPECT_TRUE(say(fake.supervisor, "F"));
  io.restart();
  io.poll();
  EXPECT_TRUE(fake.host->frozen());

  std::optional<Answer> answer;
  Spawn(io.get_executor(), AskInto(answer, *fake.host));
  io.restart();
  io.poll();
  EXPECT_EQ(fake.Told(), "W");
  const auto reply = [&] { return woken.starts_with("X") || say(fake.process, Reply(fake)); };
  if (answers_first) {
    EXPECT_TRUE(reply());
  }
  EXPECT_TRUE(say(fake.supervisor, woken));
  if (!answers_first) {
    io.restart();
    io.poll();
    EXPECT_TRUE(reply());
  }
  io.restart();
  while (!answer) io.run_one();
  EXPECT_FALSE(fake.host->frozen());
  EXPECT_EQ(fake.host->awake(), Instant(Duration(woken.starts_with("W") ? 7 : 0)));
  return std::move(*answer);
}

TEST(Host, ThatStandsStillIsWokenByAQuestion) {
  EXPECT_EQ(AskWhileItStands("W 7", false).what, Answer::What::kDone);
  EXPECT_EQ(AskWhileItStands("W 7", true).what, Answer::What::kDone) << "the supervisor may be the slower one";
}

TEST(Host, ThatRanWhileItShouldHaveStoodStillIsNotBelieved) {
  EXPECT_EQ(AskWhileItStands("W 7 woken", false).what, Answer::What::kWoken);
  EXPECT_EQ(AskWhileItStands("W 7 woken", true).what, Answer::What::kWoken);
}

TEST(Host, MayEndInsteadOfWaking) {
  const Answer answer = AskWhileItStands("X signal 9", false);
  EXPECT_EQ(answer.what, Answer::What::kEnded);
  EXPECT_EQ(answer.detail, "signal 9");
}

}  // namespace
}  // namespace kgym::judge
