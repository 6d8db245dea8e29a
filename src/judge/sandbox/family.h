// All processes of one host, as its supervisor sees them: signal them, count them.
//
// With a pid namespace that is exact: kill(-1) reaches everybody in it at one instant, and the child of a fork that was
// under way gets the signal, too. Without one the supervisor is a subreaper and walks the tree of its descendants until
// a round meets nobody new; a process that forks faster than the walk can escape for a while, never for good, since
// whatever loses its parent becomes the supervisor's child.
//
// Threads: the supervisor, which has one.
#pragma once

#include <sys/types.h>

#include <set>

namespace kgym::judge::sandbox {

class Family {
 public:
  explicit Family(bool own_pids);

  void Signal(int signo);

  /// After SIGSTOP, and once `host` is known to stand still: returns when nobody else runs any more either. Costs
  /// nothing where the host is alone, some ten milliseconds otherwise.
  void AwaitStandstill(pid_t host);

  /// Kills all and waits until the last is gone. Returns when there is no child left to wait for.
  void End();

  /// Living children of this process other than `host`: those that lost their parent, so daemons. -1 where /proc is
  /// missing.
  int CountDaemons(pid_t host) const;

 private:
  bool WalkOnce(pid_t process, int signo);

  bool own_pids_;
  std::set<pid_t> met_;  // By the last walk.
};

}  // namespace kgym::judge::sandbox
