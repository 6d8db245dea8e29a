// All processes of one host, as its supervisor sees them: signal them, stop them for sure, count them.
//
// With a pid namespace a signal is exact: kill(-1) reaches everybody in it at one instant, and the child of a fork that
// was under way gets it, too. Without one the supervisor is a subreaper and walks the tree of its descendants until
// a round meets nobody new; a process that forks faster than the walk can escape for a while, never for good, since
// whatever loses its parent becomes the supervisor's child.
//
// A stop is not the end of it: processes can send each other SIGCONT, which takes back a SIGSTOP that has not acted
// yet. So it is looked whether they stand still, and the stop is sent again where they do not.
//
// Threads: the supervisor, which has one.
#pragma once

#include <sys/types.h>

#include <set>
#include <vector>

namespace kgym::judge::sandbox {

class Family {
 public:
  explicit Family(bool own_pids);

  void Signal(int signo);

  /// Those that a signal was last sent to; none where /proc is missing or another namespace's.
  std::vector<pid_t> Members() const;

  /// SIGSTOP to all, and to each thread by itself.
  void StopAgain();

  /// Whether nobody runs, after SIGSTOP was sent to all. `host_stopped`: the kernel has reported that of the host.
  /// Costs nothing where that is so and the host is alone, some ten milliseconds otherwise.
  bool StandsStill(pid_t host, bool host_stopped);

  /// Whether `host`, which was told to stop, does not and is not about to: something has taken the stop back.
  bool HasLostStop(pid_t host) const;

  /// Whether somebody who was told to stop runs on, and was not just slow to hear it or about to end.
  bool Resists() const;

  /// Kills all and waits until the last is gone. Returns when there is no child left to wait for.
  void End();

  /// Living children of this process other than `host`: those that lost their parent, so daemons. -1 where /proc is
  /// missing or another namespace's.
  int CountDaemons(pid_t host) const;

 private:
  bool WalkOnce(pid_t process, int signo);
  /// Whether there is no other process than `host`, whose threads all stand still.
  bool IsAlone(pid_t host) const;

  bool own_pids_;
  bool sees_processes_;
  std::set<pid_t> met_;  // By the last walk.
};

}  // namespace kgym::judge::sandbox
