// Packing: rows of unequal length into micro-batches, or onto devices, so that none holds more than its share.
//
// Threads: any; pure functions. The same lengths give the same packs.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "base/result.h"

namespace kgym::learn {

/// Row numbers, in order.
using Pack = std::vector<std::size_t>;

/// As few packs as first-fit decreasing or an even spread finds, none above `budget` tokens, their sizes balanced. The
/// packs together hold each row once. A row longer than the budget is an error: it fits nowhere.
Result<std::vector<Pack>> PackByBudget(std::span<const std::int64_t> lengths, std::int64_t budget);

/// Exactly `packs` packs whose lengths differ as little as the largest differencing method (Karmarkar and Karp, 1982)
/// finds. Rows may be fewer than packs: then some are empty.
Result<std::vector<Pack>> PackEvenly(std::span<const std::int64_t> lengths, std::size_t packs);

}  // namespace kgym::learn
