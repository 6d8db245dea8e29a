#include "judge/memory_need.h"

#include <algorithm>

#include "judge/timing.h"

namespace kgym::judge {
namespace {

constexpr std::int64_t kSpareBytes = std::int64_t{3} << 30;

// How much larger a slot is than what lies in it at most (_ROOM of the runner's reference.py, twice).
constexpr std::int64_t kRoomBytes = std::int64_t{16} << 20;

// Answers that the reference host keeps (_HISTORY_BYTES there).
constexpr std::int64_t kHistoryBytes = std::int64_t{256} << 20;

// What comparing takes beside its operands, in outputs.
constexpr std::int64_t kCompared = 6;

// What any submission may take beyond what the reference takes: libraries' workspaces, plans, splits.
constexpr std::int64_t kFreedom = std::int64_t{256} << 20;

}  // namespace

MemoryNeed NeedOf(const ProblemFacts& facts, const JudgeConfig& config) {
  const std::int64_t call = facts.input_bytes + facts.output_bytes;
  const std::int64_t slot = call + std::min(call, kRoomBytes);
  const std::int64_t slots =
      std::clamp<std::int64_t>((std::int64_t{config.limits.arena_mb} << 20) / std::max<std::int64_t>(1, slot), 2,
                               SlotsFor(config.timing, facts));
  MemoryNeed need;
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
