// Whether a lane's device works: ill after several hosts in a row could not be made or it would not become idle, and at
// once when the card itself reports a failure; well again when a host could be made.
//
// While it is ill nobody is given a host: an evaluation waits, and is not failed for it. Whoever finds it ill tries, at
// growing distances, to make a host; nothing else tells that a card works again.
//
// Threads: the lane's executor.
#pragma once

#include <string>

#include "base/duration.h"

namespace kgym::judge {

class LaneHealth {
 public:
  /// A host could not be made, or the device did not become idle. True when that makes the lane ill.
  bool Failed(std::string reason);

  /// The device reported a failure of its own. True when that makes the lane ill: it was not yet.
  bool Broke(std::string reason);

  /// A host was made. True when that makes the lane well again.
  bool Worked();

  bool ill() const { return ill_; }
  const std::string& reason() const { return reason_; }

  /// How long to wait before the next try.
  Duration NextTry();

 private:
  bool ill_ = false;
  int failures_ = 0;
  int tries_ = 0;
  std::string reason_;
};

}  // namespace kgym::judge
