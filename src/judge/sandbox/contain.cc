#include "judge/sandbox/contain.h"

#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>

#include "judge/sandbox/capabilities.h"
#include "judge/sandbox/cgroup.h"
#include "judge/sandbox/descriptors.h"
#include "judge/sandbox/family.h"
#include "judge/sandbox/landlock.h"
#include "judge/sandbox/limits.h"
#include "judge/sandbox/mounts.h"
#include "judge/sandbox/namespaces.h"
#include "judge/sandbox/pid_namespace.h"
#include "judge/sandbox/seccomp.h"
#include "judge/sandbox/supervisor.h"
#include "judge/sandbox/threads.h"
#include "judge/sandbox/user_namespace.h"

namespace kgym::judge::sandbox {
namespace {

bool IsFull(const Step& step) { return step.level == Level::kFull; }

// The order of a birth. In the supervisor, pid 1 of the new namespace, up to its fork ...
Report IsolateSupervisor(const SandboxSpec& spec, const Step& pid_namespace) {
  Report report;
  report.Add(pid_namespace);
  report.Add(JoinCgroups(spec));  // While the folders are in sight.
  const Step mounts = OwnMountNamespace(spec);
  report.Add(mounts);
  report.Add(IsFull(mounts) ? EnterTemplate(spec, IsFull(pid_namespace))
                            : None("private_root", "there is no mount namespace to make it in"));
  report.Add(LeaveSharedNamespaces(spec));
  return report;
}

// ... and in the host, its child.
void IsolateHost(const SandboxSpec& spec, Report& report) {
  report.Add(BecomeUser(spec));        // Before the user namespace, in which nobody else exists.
  report.Add(OwnUserNamespace(spec));  // After the mounts, which belong to the supervisor's.
}

std::vector<int> HeldByHost(const SandboxSpec& spec) {
  std::vector<int> held = spec.keep_fds;
  held.insert(held.end(), {0, 1, 2, spec.seccomp_fd});
  return held;
}

bool ConfineThread() { return DropCapabilities() && ForbidNewPrivileges(); }

Landlock* confining_landlock = nullptr;  // For the function below, which runs in a signal handler.
bool LandlockThread() { return confining_landlock->RestrictThread(); }

Step EveryThread(std::string name, bool (*act)()) {
  std::string why;
  if (OnEveryThread(act, why)) return Full(std::move(name));
  return Partial(std::move(name), why);
}

Step ApplyLandlock(const SandboxSpec& spec) {
  Landlock landlock = Landlock::Prepare(spec);
  Step step = landlock.step();
  if (!landlock.ready()) return step;
  confining_landlock = &landlock;
  std::string why;
  if (!OnEveryThread(LandlockThread, why)) step = Partial(step.name, why);
  confining_landlock = nullptr;
  landlock.Close();
  return step;
}

bool HasEnded(int pidfd) {
  pollfd wait = {pidfd, POLLIN, 0};
  return pidfd >= 0 && poll(&wait, 1, 0) > 0;
}

// Dies with the zygote, also where the zygote died before the kernel was told. `zygote` is its pidfd.
void DieWith(int zygote) {
  prctl(PR_SET_PDEATHSIG, SIGKILL);
  if (HasEnded(zygote)) _exit(1);
}

// The zygote's handlers, of an interpreter that will not run here, mean nothing to a supervisor.
void ForgetHandlers() {
  for (int signo = 1; signo < NSIG; ++signo) signal(signo, SIG_DFL);
}

[[noreturn]] void RefuseHost(int control, const std::string& sentence) {
  const std::string text = "X setup " + sentence;
  send(control, text.data(), text.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
  _exit(1);
}

// Runs in the zygote's child. Returns only in that child's child, the host.
Forked BearHost(const SandboxSpec& spec, int control, const ForkHooks& hooks, const Step& pid_namespace, int zygote,
                const sigset_t& mask) {
  DieWith(zygote);
  setsid();
  signal(SIGCHLD, SIG_DFL);  // An ignored SIGCHLD would take the host's end away from its supervisor.
  Forked forked;
  forked.is_host = true;
  forked.report = IsolateSupervisor(spec, pid_namespace);
  Family family(IsFull(pid_namespace));

  const int supervisor = OpenPidfd(getpid());
  const pid_t host = fork();
  if (host < 0) RefuseHost(control, ErrnoText("fork"));
  if (host > 0) {
    prctl(PR_SET_NAME, "kgym-supervisor");
    ForgetHandlers();
    Supervise(family, host, control);
  }
  DieWith(supervisor);
  setsid();
  prctl(PR_SET_NAME, spec.name.substr(0, 15).c_str());
  IsolateHost(spec, forked.report);
  DieWith(-1);  // A change of user made the kernel forget.
  if (const std::string error = StrictError(spec, forked.report); !error.empty()) RefuseHost(control, error);
  forked.report.Add(CloseAllExcept(HeldByHost(spec)));
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (hooks.after_in_host) hooks.after_in_host();
  return forked;
}

}  // namespace

Report PrepareZygote(const SandboxSpec& spec) {
  Report report;
  report.Add(BecomeAdministrator(spec));
  const Step mounts = OwnMountNamespace(spec);
  report.Add(mounts);
  report.Add(IsFull(mounts) ? BuildTemplate(spec) : None("template_root", "there is no mount namespace to make it in"));
  return report;
}

Forked ForkHost(const SandboxSpec& spec, int control, const ForkHooks& hooks) {
  sigset_t child;
  sigset_t mask;
  sigemptyset(&child);
  sigaddset(&child, SIGCHLD);
  const int zygote = OpenPidfd(getpid());
  Step pid_namespace;
  if (hooks.before) hooks.before();
  sigprocmask(SIG_BLOCK, &child, &mask);
  const pid_t supervisor = ForkIntoPidNamespace(spec, pid_namespace);
  if (supervisor == 0) return BearHost(spec, control, hooks, pid_namespace, zygote, mask);

  Forked forked;
  if (supervisor < 0) forked.error = ErrnoText("fork");
  sigprocmask(SIG_SETMASK, &mask, nullptr);
  if (hooks.after_in_zygote) hooks.after_in_zygote();
  close(zygote);
  if (supervisor < 0) return forked;
  forked.supervisor = supervisor;
  forked.pidfd = OpenPidfd(supervisor);  // Nobody reaps but Reap, so the pid cannot be another's by now.
  if (forked.pidfd < 0) forked.error = ErrnoText("pidfd_open");
  return forked;
}

Report Confine(const SandboxSpec& spec) {
  Report report;
  report.Add(SetLimits(spec));
  report.Add(EveryThread("capabilities", ConfineThread));
  report.Add(ApplyLandlock(spec));   // Needs no_new_privs, which the step before sets.
  report.Add(InstallSeccomp(spec));  // Last: it may forbid what the others do.
  return report;
}

std::vector<Ended> Reap() {
  std::vector<Ended> ended;
  int status = 0;
  for (pid_t pid = 0; (pid = waitpid(-1, &status, WNOHANG)) > 0;) {
    ended.push_back({pid, WIFEXITED(status) ? WEXITSTATUS(status) : -WTERMSIG(status)});
  }
  return ended;
}

std::string StrictError(const SandboxSpec& spec, const Report& report) {
  const Step* weakest = report.Weakest();
  if (!spec.strict || !weakest) return "";
  return "sandbox: step '" + weakest->name + "' reached level '" + ToString(weakest->level) + "' (" + weakest->detail +
         "), and the specification is strict.";
}

}  // namespace kgym::judge::sandbox
