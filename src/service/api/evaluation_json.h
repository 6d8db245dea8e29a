// An evaluation as clients see it: a task, and what its payload and result say.
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>
#include <optional>

#include "base/json.h"
#include "service/api/outcome_note.h"
#include "service/queue/task.h"

namespace kgym::service {

/// With verdict or error, where it has ended with one. `task` has its payload and result. `position`: where it stands
/// in the queue, 1 being next; none where it does not wait for a lane.
Json EvaluationJson(const Task& task, std::optional<std::int64_t> position);

/// One of a list: of a task without payload and result. `note`: what its result said, where that is known.
Json EvaluationLine(const Task& task, std::optional<std::int64_t> position, const OutcomeNote* note);

/// Schemas of both.
Json EvaluationSchema();
Json EvaluationLineSchema();

/// "2026-01-31T12:00:00.123Z", or null where the thing has not happened.
Json TimeJson(std::int64_t unix_ms);

}  // namespace kgym::service
