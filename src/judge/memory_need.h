// How much of a card an evaluation may take: what the ledger promises it before it starts.
//
// All in bytes. Estimates from what the reference was seen to take when its problem was opened; a submission that needs
// more than its share is judged again alone (see Judge::Evaluate).
//
// Threads: any; pure functions.
#pragma once

#include <cstdint>

#include "judge/judge_config.h"
#include "judge/session.h"

namespace kgym::judge {

// What a process with a CUDA context and torch's libraries takes (measured on an H100: 0.52 GB bare, 0.72 GB after a
// product of matrices).
inline constexpr std::int64_t kContextBytes = std::int64_t{700} << 20;

// For opening a problem that nobody has opened before.
inline constexpr std::int64_t kFirstOpenBytes = std::int64_t{4} << 30;

struct MemoryNeed {
  std::int64_t reference = 0;  // The arena, the inputs' masters, the answers, and what the reference's calls take.
  std::int64_t candidate = 0;  // Its weights, and what its calls take.

  std::int64_t sum() const { return reference + candidate; }
};

MemoryNeed NeedOf(const ProblemFacts& facts, const JudgeConfig& config);

/// What a lane can promise: the card without what others use, some spare, and the contexts of all hosts that may be
/// busy, kept ready or coming. At least 1, since 0 means that nobody counts.
std::int64_t Promisable(std::int64_t card_bytes, std::int64_t used_by_others, int hosts);

}  // namespace kgym::judge
