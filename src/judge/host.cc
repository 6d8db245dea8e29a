#include "judge/host.h"

#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <boost/asio/posix/stream_descriptor.hpp>
#include <boost/asio/redirect_error.hpp>
#include <charconv>

#include "base/ids.h"
#include "base/text.h"
#include "judge/cgroup_folder.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

constexpr Duration kControlLimit = 10s;  // A supervisor answers within microseconds; this is for a machine that swaps.

}  // namespace

std::string_view ToString(HostKind kind) {
  switch (kind) {
    case HostKind::kReference:
      return "reference";
    case HostKind::kCandidate:
      return "candidate";
    case HostKind::kBuilder:
      return "builder";
  }
  return "?";
}

Host::Host(const Executor& executor, Parts parts)
    : executor_(executor),
      kind_(parts.kind),
      supervisor_(parts.supervisor),
      pidfd_(std::move(parts.pidfd)),
      work_(executor, std::move(parts.work)),
      control_(executor, std::move(parts.control)),
      drain_(executor, std::move(parts.output)),
      account_(parts.cgroups, parts.supervisor),
      cgroups_(std::move(parts.cgroups)),
      gate_(parts.gate) {}

Host::~Host() {
  if (gate_ != nullptr) gate_->Leave(*this);
  Kill();
  RemoveCgroups(executor_, std::move(cgroups_));
}

const OutputLog& Host::output() {
  drain_.Catch();
  return drain_.log();
}

Awaitable<Result<void>> Host::Ready(Duration limit) {
  const int which = co_await Hear(limit);
  Result<Packet> received = work_.TryReceive();
  if (which < 0 || !received.ok() || received->bytes.empty()) {
    const Answer end = co_await EndedAnswer();
    co_return Error{Concat("a ", ToString(kind_), " host did not start (", end.detail, "): ", output().Text())};
  }
  const Packet packet = std::move(*received);
  KGYM_CO_TRY(Json hello, ParseJson(packet.bytes, "a host's first packet"));
  if (!hello.contains("report")) co_return Error{"a host did not report its sandbox: " + packet.bytes.substr(0, 400)};
  sandbox_ = hello["report"];
  pid_ = FirstChild(supervisor_);
  if (gate_ != nullptr) gate_->Join(*this);
  co_return Ok();
}

Awaitable<Answer> Host::Call(Json request, std::vector<int> fds, Duration limit) {
  Answer answer;
  if (ended_ || woken_) co_return co_await EndedAnswer();
  const std::string nonce = RandomHex(8);
  request["nonce"] = nonce;
  if (Status sent = work_.Send(DumpJson(request), fds); !sent.ok()) co_return co_await EndedAnswer();
  if (frozen_) {
    frozen_ = false;
    waking_ = control_.Send("W").ok();
    if (!waking_) co_return co_await EndedAnswer();
  }
  const int which = co_await Hear(limit);
  answer.received = std::chrono::steady_clock::now();
  if (waking_ && co_await WaitReadable(control_, answer.received + kControlLimit)) NoteAwake();
  if (woken_) co_return co_await EndedAnswer();
  if (which < 0) {
    answer.what = Answer::What::kTimeout;
    answer.detail = "no answer to '" + request.value("op", "?") + "' within " + FormatDuration(limit);
    co_return answer;
  }
  Result<Packet> packet =
      work_.TryReceive();  // Also when control spoke first: the answer may have come before the end.
  if (!packet.ok() || packet->bytes.empty()) co_return co_await EndedAnswer();
  answer.fds = std::move(packet->fds);
  Result<Json> body = ParseJson(packet->bytes, "answer");
  if (!body.ok() || packet->cut || ClaimedText(*body, "nonce") != nonce || !Claimed(*body, "ok").is_boolean()) {
    answer.what = Answer::What::kForged;
    answer.detail = packet->bytes.substr(0, 200);
    co_return answer;
  }
  answer.body = std::move(*body);
  answer.what = answer.body["ok"].get<bool>() ? Answer::What::kDone : Answer::What::kFailed;
  co_return answer;
}

Awaitable<int> Host::Hear(Duration limit) {
  const Instant start = std::chrono::steady_clock::now();
  const Duration before = credit();
  Instant deadline = start + limit;
  while (true) {
    const int which = co_await WaitEither(work_, control_, deadline);
    if (which == 1 && waking_) {
      NoteAwake();
      if (!ended_ && !woken_) continue;
    }
    const Instant extended = start + limit + (credit() - before);
    if (which >= 0 || extended <= std::chrono::steady_clock::now()) co_return which;
    deadline = extended;
  }
}

void Host::NoteAwake() {
  waking_ = false;
  Result<Packet> packet = control_.TryReceive();
  if (!packet.ok() || packet->bytes.empty()) return NoteEnd("its supervisor is gone");
  const std::string& said = packet->bytes;
  if (said.starts_with("X ")) NoteEnd(said.substr(2));
  if (!said.starts_with("W ")) return;
  woken_ |= said.ends_with(" woken");
  std::int64_t ns = 0;
  std::from_chars(said.data() + 2, said.data() + said.size(), ns);
  awake_ = Instant(Duration(ns));
}

Awaitable<Answer> Host::EndedAnswer() {
  Answer answer;
  bool told = true;
  if (!ended_ && !woken_) {
    ended_ = true;
    ended_how_ = "its process ended";
    // The supervisor says how; where it is gone as well, so does the end of its socket.
    told = co_await WaitReadable(control_, std::chrono::steady_clock::now() + kControlLimit);
    if (!told) ended_how_ = "it closed its socket, or sent an empty packet, and lives on";
    if (Result<Packet> packet = control_.TryReceive(); packet.ok() && packet->bytes.starts_with("X "))
      NoteEnd(packet->bytes.substr(2));
  }
  answer.what = woken_ ? Answer::What::kWoken : told ? Answer::What::kEnded : Answer::What::kForged;
  answer.detail = ended_how_;
  answer.received = std::chrono::steady_clock::now();
  co_return answer;
}

void Host::NoteEnd(const std::string& how) {
  ended_ = true;
  ended_how_ = how;
  woken_ |= how.ends_with(" woken");
}

Awaitable<Result<std::string>> Host::Command(std::string_view letter) {
  KGYM_CO_TRY_VOID(control_.Send(letter));
  if (!co_await WaitReadable(control_, std::chrono::steady_clock::now() + kControlLimit))
    co_return Error{"a supervisor does not answer"};
  KGYM_CO_TRY(Packet packet, control_.TryReceive());
  if (packet.bytes.starts_with("X ")) NoteEnd(packet.bytes.substr(2));
  if (packet.bytes.empty()) co_return Error{"a supervisor is gone"};
  co_return std::move(packet.bytes);
}

Awaitable<Status> Host::Freeze() {
  if (frozen_ || ended_) co_return Ok();
  KGYM_CO_TRY(const std::string reply, co_await Command("F"));
  frozen_ = reply == "F";
  co_return Ok();
}

Awaitable<Status> Host::Thaw() {
  if (!frozen_ || ended_) co_return Ok();
  frozen_ = false;
  KGYM_CO_TRY(const std::string reply, co_await Command("T"));
  woken_ |= reply == "T woken";
  co_return Ok();
}

Awaitable<Status> Host::Stall() {
  KGYM_CO_TRY_VOID(co_await Freeze());
  frozen_ = false;
  co_return Ok();
}

Awaitable<Status> Host::StartLooking(Duration gap, int most) {
  if (ended_) co_return Ok();
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(gap).count();
  const std::string command = Concat("S ", us, " ", most);
  KGYM_CO_TRY(const std::string reply, co_await Command(command));
  co_return Ok();
}

Awaitable<Result<Json>> Host::EndLooking() {
  if (ended_) co_return Json::object();
  KGYM_CO_TRY(const std::string reply, co_await Command("E"));
  if (!reply.starts_with("E ")) co_return Json::object();  // It has ended.
  co_return ParseJson(reply.substr(2), "a supervisor's report");
}

void Host::Pause() {
  if (ended_ || paused_) return;
  paused_ = true;
  if (Status sent = control_.Send("P"); !sent.ok()) paused_ = false;  // It has ended, and nobody has noticed yet.
}

void Host::Credit() {
  if (paused_ && !credited_since_) credited_since_ = std::chrono::steady_clock::now();
}

void Host::Resume() {
  if (!paused_) return;
  credit_ = credit();
  credited_since_.reset();
  paused_ = false;
  if (Status sent = control_.Send("R"); !sent.ok()) return;  // As above.
}

Duration Host::credit() const {
  return credit_ + (credited_since_ ? std::chrono::steady_clock::now() - *credited_since_ : Duration{});
}

Awaitable<Result<int>> Host::Daemons() {
  if (ended_) {
    const std::size_t at = ended_how_.find("daemons ");
    co_return at == std::string::npos ? 0 : std::atoi(ended_how_.c_str() + at + 8);
  }
  KGYM_CO_TRY(const std::string reply, co_await Command("D"));
  const std::size_t at = reply.find_last_of(' ');
  co_return at == std::string::npos ? 0 : std::max(0, std::atoi(reply.c_str() + at + 1));  // -1: nobody can tell.
}

void Host::Kill() {
  // The supervisor is pid 1 of the host's namespace: its end is the end of everything in it.
  if (pidfd_.valid()) ::syscall(SYS_pidfd_send_signal, pidfd_.get(), SIGKILL, nullptr, 0);
}

Awaitable<void> Host::End() {
  Gate::Change change;
  if (gate_ != nullptr) change = co_await gate_->BeginChange();
  Kill();
  if (!pidfd_.valid()) co_return;
  Result<Fd> watched = pidfd_.Duplicate();
  if (!watched.ok()) co_return;
  boost::asio::posix::stream_descriptor descriptor(executor_, watched->release());
  auto gone = descriptor.async_wait(boost::asio::posix::descriptor_base::wait_read, boost::asio::use_awaitable);
  co_await WithDeadline(kControlLimit, std::move(gone));
  if (!ended_) ended_how_ = "ended by the judge";
  ended_ = true;
}

std::int64_t Host::CpuNs() const { return account_.UsedNs(pid_); }

CpuUse Host::CpuUsed() const { return account_.Use(pid_); }

bool Host::OutOfMemory() const { return CgroupKilledForMemory(cgroups_); }

}  // namespace kgym::judge
