#include "judge/sandbox/supervisor.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "judge/sandbox/descriptors.h"

namespace kgym::judge::sandbox {
namespace {

class Supervisor {
 public:
  Supervisor(Family& family, pid_t host, int control) : family_(family), host_(host), control_(control) {}

  void Run(int child_events);

 private:
  enum class State { kRunning, kFreezing, kFrozen };

  bool HearJudge();       // False at the end of the conversation.
  bool NoticeChildren();  // False once the host has ended.
  bool NoticeHost(const siginfo_t& event);

  void Freeze();
  void FinishFreeze();
  void Thaw();
  void Continue();
  void Pause();
  void Resume();
  void Say(const std::string& text) const;
  void SayEnd(const siginfo_t& event) const;

  Family& family_;
  const pid_t host_;
  const int control_;
  State state_ = State::kRunning;
  bool host_stopped_ = false;
  bool woken_ = false;
  bool paused_ = false;
};

// A judge that does not read loses the answer; the supervisor must never wait for it.
void Supervisor::Say(const std::string& text) const {
  send(control_, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

void Supervisor::Freeze() {
  family_.Signal(SIGSTOP);
  state_ = State::kFreezing;
  if (host_stopped_) FinishFreeze();
}

void Supervisor::FinishFreeze() {
  family_.AwaitStandstill(host_);
  state_ = State::kFrozen;
  Say("F");
}

void Supervisor::Thaw() {
  Say(woken_ ? "T woken" : "T");
  state_ = State::kRunning;
  woken_ = false;
  if (!paused_) Continue();
}

void Supervisor::Continue() {
  host_stopped_ = false;  // Not to be learnt from its event: a freeze may follow at once.
  family_.Signal(SIGCONT);
}

void Supervisor::Pause() {
  paused_ = true;
  if (state_ == State::kRunning) family_.Signal(SIGSTOP);
}

void Supervisor::Resume() {
  paused_ = false;
  if (state_ == State::kRunning) Continue();
}

bool Supervisor::HearJudge() {
  char letter = 0;
  const ssize_t n = recv(control_, &letter, 1, MSG_DONTWAIT);
  if (n < 0 && (errno == EAGAIN || errno == EINTR)) return true;
  if (n <= 0) return false;
  switch (letter) {
    case 'F':
      Freeze();
      return true;
    case 'T':
      Thaw();
      return true;
    case 'P':
      Pause();
      return true;
    case 'R':
      Resume();
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
  host_stopped_ = event.si_code == CLD_STOPPED;
  // A frozen host does nothing. If it went on, or stops anew, it had arranged to be woken.
  woken_ |= state_ == State::kFrozen;
  if (!host_stopped_ && (paused_ || state_ != State::kRunning)) family_.Signal(SIGSTOP);
  if (host_stopped_ && state_ == State::kFreezing) FinishFreeze();
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
  Say(text);
}

void Supervisor::Run(int child_events) {
  pollfd waits[] = {{control_, POLLIN, 0}, {child_events, POLLIN, 0}};
  while (true) {
    if (ppoll(waits, 2, nullptr, nullptr) < 0) {
      if (errno == EINTR) continue;
      return;
    }
    if (waits[1].revents) {
      signalfd_siginfo drained[16];
      while (read(child_events, drained, sizeof drained) > 0) continue;
      if (!NoticeChildren()) return;
    }
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
