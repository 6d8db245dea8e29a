// From a wrong answer to a word: which of the honest failures or known cheats it is.
//
// `Examine` measures what only a second look can tell (is it right when copied later, when called again, on well-known
// seeds?); `Classify` decides from those facts alone, so that every rule is tested without a process.
//
// Threads: Examine on the lane's executor; Classify any.
#pragma once

#include "base/json.h"
#include "judge/ruling.h"
#include "judge/session.h"

namespace kgym::judge {

struct MismatchFacts {
  Json check{};  // The reference host's reply: difference, changed_inputs, facts.
  bool right_when_copied_later = false;
  bool right_when_called_again = false;
  bool right_for_known_seeds = false;
};

/// A difference, or inputs that were changed, in a reply to `check`.
bool IsMismatch(const Json& check);

Ruling Classify(const MismatchFacts& facts);

/// Whether the same inputs, called for once more, are answered rightly.
Awaitable<Result<bool>> RightWhenCalledAgain(Session& session, Filled filled);

/// Looks again at the call that was just answered in `filled`, whose check found a mismatch.
Awaitable<Result<Ruling>> Examine(Session& session, Filled filled, Json check);

}  // namespace kgym::judge
