// Whose code runs: where each thread of a host was at moments when the host had been told to stop.
//
// Of a thread that was interrupted in user mode its next instruction is noted, as an offset into the file that holds
// it; one that was in a system call, as a waiting one is, is only counted. Files are named as the host's
// /proc/<pid>/maps names them: what a name means is for the judge to say. The host is not asked. Its reader must be
// allowed to trace it, as a supervisor is that administers the host's user namespace.
//
// Threads: the supervisor, which has one.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace kgym::judge::sandbox {

/// Where a thread that stands still would go on.
struct Place {
  bool in_system = false;  // In a system call: blocked, or about to leave it.
  std::uint64_t address = 0;
};

/// Of a line of /proc/<pid>/task/<tid>/syscall; nothing for a thread that runs.
std::optional<Place> ParsePlace(std::string_view line);

/// What is mapped executable, by address.
class CodeMap {
 public:
  explicit CodeMap(std::string_view maps);  // The text of /proc/<pid>/maps.

  struct Code {
    std::string file;  // Its path; "[anonymous]" where there is none.
    std::uint64_t offset = 0;
  };
  /// Nothing where nothing executable is mapped.
  std::optional<Code> At(std::uint64_t address) const;

 private:
  struct Range {
    std::uint64_t begin = 0, end = 0, offset = 0;
    std::string file;
  };
  std::vector<Range> ranges_;  // In order.
};

class CodeWatch {
 public:
  static constexpr int kMostPlaces = 4096;

  /// Counts the threads of these processes that ran since the last look: one that is ready and is given no core, as a
  /// thread of the idle class beside a busy one, does no work where it stands. One that still runs cannot be read, and
  /// is told apart.
  void Look(const std::vector<pid_t>& processes);

  int looks() const { return looks_; }

  /// JSON: {"looks": n, "files": {"/path/library.so": [offset, ...]}, "in_system": threads, "unreadable": threads}: a
  /// number for each thread at each look. At most `kMostPlaces`, those met first.
  std::string Report() const;

 private:
  /// A thread and how long it ran, in nanoseconds, since the last look that met it; since its start at the first.
  struct Thread {
    pid_t process = 0;
    std::string folder;
    std::uint64_t ran = 0;
  };
  Thread Meet(pid_t process, pid_t thread);
  void LookAtThread(const Thread& thread);
  std::optional<CodeMap::Code> CodeAt(pid_t process, std::uint64_t address);

  std::map<pid_t, CodeMap> maps_;       // As last read.
  std::map<pid_t, std::uint64_t> ran_;  // Of each thread, by the kernel's account.
  std::map<std::string, std::vector<std::uint64_t>> files_;
  int places_ = 0;
  int looks_ = 0;
  int in_system_ = 0;
  int unreadable_ = 0;
};

}  // namespace kgym::judge::sandbox
