// Short calls replayed as CUDA graphs (`timing.graph_replays`): what is left of a call's time when nothing is launched.
//
// Either host captures one call on the inputs of a slot, and replays it a few and many times in a row behind work that
// hides the launching; what the many take more than the few, by how many more they are, is a call's time. The caches
// are warm, the same inputs are read again and again, and a host's word is all there is for its times: facts beside the
// measurement, which decide nothing. So nothing that goes wrong here is held against anybody either.
//
// Times are milliseconds. Threads: the lane's executor; the pure functions from any.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "judge/session.h"

namespace kgym::judge {

struct GraphTimes {
  std::optional<double> reference_ms, candidate_ms;
  std::string note;  // Why a time is missing, or what is to be known of one.

  /// "reference_graph_ms", "candidate_graph_ms" and, where there is one, "graph_note" into a verdict's timing.
  void AddTo(Json& timing) const;
};

/// Replays in a row: so many in each of some spans.
struct ReplayPlan {
  int few = 1, many = 2;

  std::vector<int> counts() const;  // Of the spans, few and many by turns.
};

/// For calls that take about this long.
ReplayPlan PlanReplays(double call_ms);

/// What a host's answer says of one call.
struct Replayed {
  double ms = 0;
  bool dry = false;  // The card waited for the launching, which is in the time.
};
Result<Replayed> ReadReplays(const Json& reply, const ReplayPlan& plan);

/// Passes the gate once more. `candidate_ms`: what was measured; from 0.02 on there is nothing to gain, and the note
/// says so.
Awaitable<GraphTimes> MeasureGraphs(Session& session, double reference_ms, double candidate_ms);

}  // namespace kgym::judge
