// The roster: who works on a queue now.
//
// A process that works tells of itself every few seconds; one that nothing was heard of for longer is no longer on it.
// Silence is measured on the monotonic clock of whoever reads the roster, from when it last heard of the member: no
// date is compared. A name belongs to one living process at a time.
//
// What a member says of itself is text that the roster hands on, unread.
//
// Threads: see the implementations.
#pragma once

#include <string>
#include <vector>

#include "base/async.h"
#include "base/duration.h"
#include "base/result.h"

namespace kgym::service {

struct Member {
  std::string name = {};
  std::string instance = {};  // Of the process: another one under the same name has another.
  std::string text = {};
};

inline constexpr Duration kTellEvery = 2s;   // How often a member tells of itself.
inline constexpr Duration kSilence = 10s;    // Whoever was not heard of for so long is gone.
inline constexpr int kProtocol = 1;          // Of tasks, results and members' texts: what all of one queue must share.
inline constexpr int kMostMembers = 10'000;  // On one roster.

/// Where a member tells of itself.
class RosterEntry {
 public:
  virtual ~RosterEntry() = default;

  enum class Answer {
    kTaken,     // The member is on the roster.
    kNameHeld,  // A process that lives has this name.
    kRefused,   // It may not work here; `why` says so for a person.
  };
  struct Reply {
    Answer answer = Answer::kTaken;
    std::string why = {};
    std::string lanes = {};  // What its keeper says of the lanes of all; text that the roster hands on, unread.
  };
  /// Enters the member, or says that it is still there. An Error: the roster cannot be reached now.
  virtual Awaitable<Result<Reply>> Tell(Member member) = 0;

  /// The member goes, and says so.
  virtual Awaitable<Status> Leave(Member member) = 0;
};

class Roster : public RosterEntry {
 public:
  /// Those who are there, by name.
  virtual Awaitable<Result<std::vector<Member>>> Members() = 0;
};

/// Why a member may not have its name.
std::string NameHeld(const std::string& name);

}  // namespace kgym::service
