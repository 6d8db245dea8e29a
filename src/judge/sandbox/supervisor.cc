#include "judge/sandbox/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <optional>
#include <random>
#include <sstream>
#include <string>
#include <utility>

#include "judge/sandbox/code_watch.h"
#include "judge/sandbox/descriptors.h"

namespace kgym::judge::sandbox {
namespace {

using Clock = std::chrono::steady_clock;
using namespace std::chrono_literals;

constexpr auto kStopAgain = std::chrono::milliseconds(2);     // A host that is left alone stops within microseconds.
constexpr auto kLookUnasked = std::chrono::milliseconds(10);  // By then no event may come: see process_table.h.
constexpr auto kStopLimit = std::chrono::milliseconds(500);

class Supervisor {
 public:
  Supervisor(Family& family, pid_t host, int control) : family_(family), host_(host), control_(control) {}

  void Run(int child_events);

 private:
  enum class State { kRunning, kStopping, kStill };

  bool HearJudge();       // False at the end of the conversation.
  bool NoticeChildren();  // False once the host has ended.
  bool NoticeHost(const siginfo_t& event);

  void Freeze();
  bool Thaw();
  void Pause();
  void Resume();
  void StartLooking(const std::string& how);
  void EndLooking();

  void StopToLook();
  void Look();

  void Stop();
  void StopAgain();
  void Settle();
  void Continue();

  std::optional<Clock::time_point> ActsAt() const;
  bool WaitForNews(pollfd (&waits)[2]) const;
  void Say(const std::string& text) const;
  void SayEnd(const siginfo_t& event) const;

  Family& family_;
  const pid_t host_;
  const int control_;
  State state_ = State::kRunning;
  Clock::time_point stopping_since_;
  Clock::time_point stop_again_;
  bool host_stopped_ = false;  // By its events.
  bool stop_lost_ = false;     // While stopping.
  bool woken_ = false;
  bool frozen_ = false;  // The judge wants it; so it may want a pause.
  bool paused_ = false;
  bool owes_answer_ = false;  // To F, once all stand still.

  std::optional<CodeWatch> watch_;
  bool looking_ = false;  // The stop under way is for looking.
  std::chrono::microseconds gap_{};
  int most_looks_ = 0;
  Clock::time_point look_at_;
  std::minstd_rand chance_;
};

// A judge that does not read loses the answer; the supervisor must never wait for it.
void Supervisor::Say(const std::string& text) const {
  send(control_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Supervisor::StopToLook() {
  looking_ = true;
  Stop();
}

// It need not be certain that all stand still: a thread that does not cannot be read. Nobody tells when processes that
// the host has started stop, so they are given until the stop is sent again.
void Supervisor::Look() {
  const auto spent = Clock::now() - stopping_since_;
  const bool others = family_.Members().size() > 1;
  if (spent < kLookUnasked && (!host_stopped_ || (others && spent < kStopAgain))) return;
  looking_ = false;
  watch_->Look(family_.Members());
  if (!frozen_ && !paused_) Continue();
}

void Supervisor::Stop() {
  state_ = State::kStopping;
  stop_lost_ = false;
  stopping_since_ = Clock::now();
  stop_again_ = stopping_since_ + kStopAgain;
  family_.Signal(SIGSTOP);
  if (host_stopped_) Settle();
}

void Supervisor::StopAgain() {
  if (looking_) Look();
  if (state_ == State::kRunning) return;
  stop_lost_ |= !host_stopped_ && family_.HasLostStop(host_);
  const auto spent = Clock::now() - stopping_since_;
  if (spent > kStopLimit && family_.Resists()) {
    woken_ = true;
    family_.Signal(SIGKILL);  // Which nobody can take back. The host's end arrives as that of any other host would.
  }
  family_.StopAgain();
  if (host_stopped_ || spent > kLookUnasked) Settle();
  stop_again_ = Clock::now() + kStopAgain;
}

void Supervisor::Settle() {
  if (looking_) Look();
  if (looking_ || state_ == State::kRunning) return;
  if (!family_.StandsStill(host_, host_stopped_)) return;
  state_ = State::kStill;
  woken_ |= stop_lost_;  // Of a host that ends instead, a stop is lost, too.
  if (owes_answer_) Say("F");
  owes_answer_ = false;
}

void Supervisor::Continue() {
  state_ = State::kRunning;
  looking_ = false;
  host_stopped_ = false;  // Not to be learnt from its event: a stop may follow at once.
  family_.Signal(SIGCONT);
  // At random, so that nobody can be elsewhere just then.
  std::uniform_int_distribution<std::chrono::microseconds::rep> some(1, 2 * std::max(gap_.count(), 1L));
  if (watch_) look_at_ = Clock::now() + std::chrono::microseconds(some(chance_));
}

void Supervisor::StartLooking(const std::string& how) {
  std::istringstream in(how);
  char letter = 0;
  std::chrono::microseconds::rep gap = 0;
  in >> letter >> gap >> most_looks_;
  gap_ = std::chrono::microseconds(gap);
  chance_.seed(std::random_device()());
  watch_.emplace();
  look_at_ = Clock::now() + gap_;
  Say("S");
}

void Supervisor::EndLooking() {
  Say("E " + (watch_ ? *watch_ : CodeWatch()).Report());
  watch_.reset();
  if (looking_ && !frozen_ && !paused_) Continue();
  looking_ = false;
}

void Supervisor::Freeze() {
  frozen_ = true;
  owes_answer_ = state_ != State::kStill;
  if (!owes_answer_) Say("F");
  if (state_ == State::kRunning) Stop();
}

/// Returns whether something ran meanwhile that should have stood still.
bool Supervisor::Thaw() {
  frozen_ = false;
  owes_answer_ = false;
  if (!paused_) Continue();  // First: a question may be waiting for it.
  return std::exchange(woken_, false);
}

void Supervisor::Pause() {
  paused_ = true;
  if (state_ == State::kRunning) Stop();
}

void Supervisor::Resume() {
  paused_ = false;
  if (!frozen_) Continue();
}

bool Supervisor::HearJudge() {
  char text[64];
  const ssize_t n = recv(control_, text, sizeof text, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n <= 0) return false;
  switch (text[0]) {
    case 'F':
      Freeze();
      return true;
    case 'T':
      Say(Thaw() ? "T woken" : "T");
      return true;
    case 'W': {
      const auto now = std::chrono::steady_clock::now().time_since_epoch();  // Before anything of it can run.
      Say(std::string("W ") + std::to_string(std::chrono::nanoseconds(now).count()) + (Thaw() ? " woken" : ""));
      return true;
    }
    case 'P':
      Pause();
      return true;
    case 'R':
      Resume();
      return true;
    case 'S':
      StartLooking({text, static_cast<std::size_t>(n)});
      return true;
    case 'E':
      EndLooking();
      return true;
    case 'D':
      Say("D " + std::to_string(family_.CountDaemons(host_)));
      return true;
    case 'K':
      // The host's end arrives as that of any other host would.
      family_.Signal(SIGKILL);
      return true;
    default:
      return true;
  }
}

bool Supervisor::NoticeHost(const siginfo_t& event) {
  if (event.si_code != CLD_STOPPED && event.si_code != CLD_CONTINUED) {
    SayEnd(event);
    return false;
  }
  const bool had_stopped = host_stopped_;
  host_stopped_ = event.si_code == CLD_STOPPED;
  if (state_ == State::kRunning) return true;
  // Our own SIGCONT makes us forget that it had stopped. If it went on otherwise, or stops anew, it was woken.
  woken_ |= had_stopped || (state_ == State::kStill && !host_stopped_);
  if (!host_stopped_ && state_ == State::kStill) Stop();
  if (state_ == State::kStopping) host_stopped_ ? Settle() : family_.Signal(SIGSTOP);
  return true;
}

bool Supervisor::NoticeChildren() {
  while (true) {
    siginfo_t event = {};
    if (waitid(P_ALL, 0, &event, WEXITED | WSTOPPED | WCONTINUED | WNOHANG) != 0) return errno == EINTR;
    if (event.si_pid == 0) return true;
    if (event.si_pid == host_ && !NoticeHost(event)) return false;
  }
}

void Supervisor::SayEnd(const siginfo_t& event) const {
  const bool exited = event.si_code == CLD_EXITED;
  std::string text = (exited ? "X exit " : "X signal ") + std::to_string(event.si_status);
  const int daemons = family_.CountDaemons(host_);
  if (daemons > 0) text += " daemons " + std::to_string(daemons);
  if (woken_) text += " woken";
  Say(text);
}

// When to act though nobody has said anything.
std::optional<Clock::time_point> Supervisor::ActsAt() const {
  if (state_ == State::kStopping) return stop_again_;
  if (state_ == State::kRunning && watch_ && watch_->looks() < most_looks_) return look_at_;
  return std::nullopt;
}

// False where there is nothing to wait for any more.
bool Supervisor::WaitForNews(pollfd (&waits)[2]) const {
  timespec limit = {};
  const std::optional<Clock::time_point> act_at = ActsAt();
  if (act_at) {
    const auto left = std::max<std::chrono::nanoseconds>(*act_at - Clock::now(), {});
    limit = {left / 1s, (left % 1s).count()};
  }
  for (pollfd& wait : waits) wait.revents = 0;
  return ppoll(waits, 2, act_at ? &limit : nullptr, nullptr) >= 0 || errno == EINTR;
}

void Supervisor::Run(int child_events) {
  pollfd waits[] = {{control_, POLLIN, 0}, {child_events, POLLIN, 0}};
  while (WaitForNews(waits)) {
    signalfd_siginfo drained[16];
    while (read(child_events, drained, sizeof drained) > 0) continue;
    if (!NoticeChildren()) return;  // Also unasked: what our own SIGCONT did must be out of the way before we look.
    if (state_ == State::kStopping && Clock::now() >= stop_again_) StopAgain();
    if (state_ == State::kRunning && ActsAt() && Clock::now() >= look_at_) StopToLook();
    if (waits[0].revents && !HearJudge()) return;
  }
}

}  // namespace

void Supervise(Family& family, pid_t host, int control) {
  prctl(PR_SET_DUMPABLE, 0);
  CloseAllExcept({control});
  sigset_t child;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int child_events = signalfd(-1, &child, SFD_CLOEXEC | SFD_NONBLOCK);
  if (child_events >= 0) Supervisor(family, host, control).Run(child_events);
  family.End();
  _exit(0);
}

}  // namespace kgym::judge::sandbox
