// A forked host as the judge sees it: questions to it with a time limit, the freezing and killing of all it has
// started.
//
// `Call` asks one question and waits for the answer; what can come of it is in `Answer`. A host that does not answer
// its question, or answers something else, is not asked again. Everything that a host says is a claim; only the bytes
// in the arena and our own clock are believed.
//
// Threads: the executor it was made on. One coroutine at a time uses a host.
#pragma once

#include <sys/types.h>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/json.h"
#include "judge/channel.h"
#include "judge/cpu_account.h"
#include "judge/gate.h"
#include "judge/output_log.h"

namespace kgym::judge {

enum class HostKind { kReference, kCandidate, kBuilder };
std::string_view ToString(HostKind kind);

struct Answer {
  enum class What {
    kDone,     // The operation was done; `body` is the reply.
    kFailed,   // The host says that the loaded code failed; `body` has kind, message, traceback.
    kEnded,    // The host ended before it answered; `detail` says how.
    kTimeout,  // No answer in time.
    kForged,   // A packet that is not the answer to the question, or a socket closed by a host that lives on.
    kWoken,    // Not asked, or ended: the host does not stand still when it should.
  };
  What what = What::kDone;
  Json body;
  std::vector<Fd> fds;
  std::string detail;
  Instant received;  // When the answer was read.
};

class Host {
 public:
  struct Parts {
    HostKind kind = HostKind::kCandidate;
    pid_t supervisor = -1;
    Fd pidfd;
    Fd work;
    Fd control;
    Fd output;
    std::vector<std::string> cgroups;  // Of this host alone; removed when it has ended.
    Gate* gate = nullptr;              // Of its lane, where others may measure; outlives the host.
  };

  Host(const Executor& executor, Parts parts);
  ~Host();  // Kills what is left.
  Host(const Host&) = delete;
  Host& operator=(const Host&) = delete;

  /// Waits for the host's first packet, which reports its sandbox.
  Awaitable<Result<void>> Ready(Duration limit);

  /// `request` needs "op"; a nonce is added, which the answer must repeat. A host that stands still is woken by it, and
  /// finds the question waiting.
  Awaitable<Answer> Call(Json request, std::vector<int> fds, Duration limit);

  /// Stops every process of the host; returns once they stand still.
  Awaitable<Status> Freeze();
  Awaitable<Status> Thaw();
  /// As Freeze, and no question wakes it: a fault for the judge's own tests.
  Awaitable<Status> Stall();
  bool frozen() const { return frozen_; }

  /// When a question last woke it: just before anything of it could run, by its supervisor's look at our clock.
  Instant awake() const { return awake_; }

  /// From now on, while it runs, its supervisor looks where its threads are, at up to `most` random moments about `gap`
  /// of running apart.
  Awaitable<Status> StartLooking(Duration gap, int most);
  /// What was seen since: see sandbox/code_watch.h.
  Awaitable<Result<Json>> EndLooking();

  /// For the lane's gate: everything of the host stands still, from soon on, until Resume. A call's time limit counts
  /// on until Credit, and not from then to Resume.
  void Pause();
  void Credit();
  void Resume();

  /// Whether the host ran while it should have stood still: something woke it. It is asked nothing any more.
  bool woken() const { return woken_; }

  /// Processes that were started and abandoned by the host: no descendants of it any more, still alive.
  Awaitable<Result<int>> Daemons();

  /// Kills everything and waits until it is gone.
  Awaitable<void> End();

  /// Nanoseconds of CPU time that the host and what it started have used, by the kernel's account; 0 where it cannot be
  /// read. With a control group that is everything. Without one, of processes that have ended those count that somebody
  /// waited for, in steps of 10 ms; a host that ignores SIGCHLD hides them.
  std::int64_t CpuNs() const;
  CpuUse CpuUsed() const;

  /// Whether the kernel killed one of the host's processes at its memory limit.
  bool OutOfMemory() const;

  HostKind kind() const { return kind_; }

  /// How long it took to be made: until the zygote had forked it, and until it was ready.
  struct Made {
    Duration forked{}, ready{};
  };
  Made made;
  const OutputLog& output();
  const Json& sandbox() const { return sandbox_; }

 private:
  Awaitable<Result<std::string>> Command(std::string_view letter);
  /// Reads what the supervisor says to being told to wake the host.
  void NoteAwake();
  /// -1 when `limit`, less what is credited, passed before the host or its supervisor said something.
  Awaitable<int> Hear(Duration limit);
  Duration credit() const;
  Awaitable<Answer> EndedAnswer();
  void NoteEnd(const std::string& how);
  void Kill();

  Executor executor_;
  HostKind kind_;
  pid_t supervisor_;
  pid_t pid_ = -1;  // Of the host itself, as the judge's namespace numbers it.
  Fd pidfd_;
  Channel work_;
  Channel control_;
  OutputDrain drain_;
  CpuAccount account_;
  std::vector<std::string> cgroups_;
  Json sandbox_;
  Gate* gate_;
  bool paused_ = false;
  bool waking_ = false;  // The supervisor was told to, and has not been heard yet.
  Instant awake_{};
  std::optional<Instant> credited_since_;
  Duration credit_{};
  bool frozen_ = false;
  bool woken_ = false;
  bool ended_ = false;
  std::string ended_how_;
};

}  // namespace kgym::judge
