#include "judge/memory_need.h"

#include <algorithm>

#include "judge/claims.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

constexpr std::int64_t kSpareBytes = std::int64_t{3} << 30;

// How much larger a slot is than what lies in it at most (_ROOM of the runner's evaluation.py, twice).
constexpr std::int64_t kRoomBytes = std::int64_t{16} << 20;

// Answers that the reference host keeps (_HISTORY_BYTES there).
constexpr std::int64_t kHistoryBytes = std::int64_t{256} << 20;

// What comparing takes beside its operands, in outputs.
constexpr std::int64_t kCompared = 6;

// What comparing takes piece by piece (PIECE in pieces.py), with what torch's allocator cannot use for anything else.
constexpr std::int64_t kPieces = std::int64_t{512} << 20;

// What any submission may take beyond what the reference takes: libraries' workspaces, plans, splits.
constexpr std::int64_t kFreedom = std::int64_t{256} << 20;

/// The most that lies beside the arena at a time where tensors are dear (the account in docs/gpu.md).
MemoryNeed BesideTheArena(const ProblemFacts& facts) {
  const std::int64_t in = facts.input_bytes, out = facts.output_bytes;
  const std::int64_t peak = std::max(facts.peak_bytes, out);
  MemoryNeed need;
  // A set and the one it is made from; or a wrong answer beside two right ones, one of which is just being computed.
  need.reference = std::max(2 * in, in + 2 * out + peak) + kPieces;
  // Its last output, or a private copy of its inputs, beside the call.
  need.candidate = std::max(in, out) + peak + kFreedom;
  return need;
}

}  // namespace

MemoryNeed NeedOf(const ProblemFacts& facts, const JudgeConfig& config) {
  const std::int64_t call = facts.input_bytes + facts.output_bytes;
  const std::int64_t slot = call + std::min(call, kRoomBytes);
  const std::int64_t slots =
      std::clamp<std::int64_t>((std::int64_t{config.limits.arena_mb} << 20) / std::max<std::int64_t>(1, slot), 2,
                               SlotsFor(config.timing, facts));
  MemoryNeed need;
  if (ClaimedTrue(facts.description, "dear")) {
    need = BesideTheArena(facts);
    const std::int64_t kept = ClaimedTrue(facts.description, "made_again") ? 0 : facts.input_bytes;
    need.reference += facts.resident_bytes + slots * (slot + kept);
    need.candidate += facts.resident_bytes;
    return need;
  }
  // For each slot the arena's share and the inputs' masters; for the one that is checked copies of all that is in it.
  need.reference = facts.resident_bytes + slots * (slot + facts.input_bytes) + kHistoryBytes + slot + 2 * call +
                   kCompared * facts.output_bytes + 2 * facts.peak_bytes;
  need.candidate = facts.resident_bytes + 2 * call + 2 * facts.peak_bytes + kFreedom;
  return need;
}

std::int64_t Promisable(std::int64_t card_bytes, std::int64_t used_by_others, int hosts) {
  return std::max<std::int64_t>(1, card_bytes - used_by_others - kSpareBytes - hosts * kContextBytes);
}

}  // namespace kgym::judge
