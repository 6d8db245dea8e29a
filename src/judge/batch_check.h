// Whether a batch was answered rightly: one of its calls is compared, picked after the answer, so that nobody knows
// which.
//
// Threads: the lane's executor.
#pragma once

#include <cstddef>
#include <vector>

#include "judge/ruling.h"
#include "judge/session.h"

namespace kgym::judge {

/// `filled`: what each call of the batch was made on, the first `warmup` of them to warm up. `outputs`: the answer's.
/// The candidate must be frozen: it cannot mend what it left out.
Awaitable<Result<MaybeRuling>> VerifyOne(Session& session, const std::vector<Filled>& filled, const Json& outputs,
                                         std::size_t warmup);

}  // namespace kgym::judge
