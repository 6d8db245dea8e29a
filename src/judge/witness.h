// Batches among the timed ones that are not counted, in which it is seen whose code runs.
//
// In one of them the framework's operators are counted and, on a GPU, the kernels recorded, so that what runs only
// where nobody seems to look, or only where somebody does, shows. On a CPU the candidate is looked at from outside in
// another one (work_samples.h), and in a few more where that says too little. They stand at random places among the
// rounds, and but for the counting of operators a candidate cannot tell them from the others.
//
// Threads: the lane's executor.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/ruling.h"
#include "judge/session.h"
#include "judge/timing.h"

namespace kgym::judge {

class Witness {
 public:
  /// `rounds`: the fewest that there will be, at least two. `session` must outlive the witness.
  Witness(Session& session, int rounds);

  /// To be called between rounds, with those so far. `delay`: that of the rounds.
  Awaitable<Result<MaybeRuling>> Look(BatchShape shape, Duration delay, const std::vector<Round>& rounds);

  /// To be called when there will be no more rounds, which may be before there were as many as was said: what has not
  /// been looked at is looked at now.
  Awaitable<Result<MaybeRuling>> Finish(BatchShape shape, Duration delay, const std::vector<Round>& rounds);

 private:
  Awaitable<Result<MaybeRuling>> Watch(BatchShape shape, Duration delay);
  Awaitable<Result<MaybeRuling>> Sample(BatchShape shape, const std::vector<Round>& rounds);

  Session& session_;
  std::size_t operators_after_, samples_after_;
  bool watched_ = false, sampled_ = false;
};

}  // namespace kgym::judge
