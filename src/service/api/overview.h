// The whole service on one page: what the page at `/` draws, and GET /v1/overview answers.
//
// Threads: the HTTP server's executor.
#pragma once

#include <string>

#include "service/api/api.h"

namespace kgym::service {

/// `tenant`: whose evaluations are named; empty: everybody's.
Json Overview(Api& api, const std::string& tenant);

Json QueueJson(Api& api, const QueueStats& stats);
Json WorkerJson(const WorkerView& worker);
Json LaneJson(const WorkerView& worker, const WorkerView::Lane& lane);

}  // namespace kgym::service
