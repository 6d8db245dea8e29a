#include "learn/pack.h"

#include <algorithm>
#include <numeric>
#include <queue>
#include <set>

#include "base/text.h"

namespace kgym::learn {
namespace {

Status CheckLengths(std::span<const std::int64_t> lengths) {
  const auto negative = std::ranges::find_if(lengths, [](std::int64_t length) { return length < 0; });
  if (negative == lengths.end()) return Ok();
  return Error{Concat("length of row ", negative - lengths.begin(), " is ", *negative, "; 0 or more is expected")};
}

std::vector<std::size_t> LongestFirst(std::span<const std::int64_t> lengths) {
  std::vector<std::size_t> order(lengths.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::ranges::stable_sort(order, [&](std::size_t a, std::size_t b) { return lengths[a] > lengths[b]; });
  return order;
}

/// Each row into the fullest pack that has room for it (best fit; as few packs as first fit, found in log time).
std::vector<Pack> BestFit(std::span<const std::int64_t> lengths, std::int64_t budget) {
  std::vector<Pack> packs;
  std::set<std::pair<std::int64_t, std::size_t>> room;  // (tokens left, pack)
  for (std::size_t row : LongestFirst(lengths)) {
    auto place = room.lower_bound({lengths[row], 0});
    if (place == room.end()) {
      packs.emplace_back();
      place = room.insert({budget, packs.size() - 1}).first;
    }
    auto [left, pack] = *place;
    room.erase(place);
    packs[pack].push_back(row);
    room.insert({left - lengths[row], pack});
  }
  return packs;
}

/// A way to fill all packs with some of the rows: heaviest pack first.
struct Partial {
  struct Part {
    std::int64_t weight = 0;
    Pack rows;
  };
  std::vector<Part> parts;
  std::size_t number = 0;  // For ties.

  std::int64_t spread() const { return parts.front().weight - parts.back().weight; }
};

struct NarrowerSpread {
  bool operator()(const Partial& a, const Partial& b) const {
    return a.spread() != b.spread() ? a.spread() < b.spread() : a.number > b.number;
  }
};

/// Lays the heaviest parts of one over the lightest of the other.
Partial Combine(Partial a, Partial b) {
  const std::size_t parts = a.parts.size();
  for (std::size_t i = 0; i < parts; ++i) {
    Partial::Part& other = b.parts[parts - 1 - i];
    a.parts[i].weight += other.weight;
    a.parts[i].rows.insert(a.parts[i].rows.end(), other.rows.begin(), other.rows.end());
  }
  std::ranges::stable_sort(a.parts, [](const auto& x, const auto& y) { return x.weight > y.weight; });
  return a;
}

std::vector<Pack> LargestDifferencing(std::span<const std::int64_t> lengths, std::size_t packs) {
  std::priority_queue<Partial, std::vector<Partial>, NarrowerSpread> queue;
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    Partial partial{.parts = std::vector<Partial::Part>(packs), .number = row};
    partial.parts[0] = {lengths[row], {row}};
    queue.push(std::move(partial));
  }
  const auto pop = [&] {
    Partial top = queue.top();
    queue.pop();
    return top;
  };
  while (queue.size() > 1) {
    Partial first = pop();
    queue.push(Combine(std::move(first), pop()));
  }
  std::vector<Pack> result(packs);
  for (std::size_t i = 0; i < packs && !queue.empty(); ++i) result[i] = queue.top().parts[i].rows;
  return result;
}

/// The longest row into the lightest pack, again and again. Not as even, but its memory does not grow with rows *
/// packs.
std::vector<Pack> LightestFirst(std::span<const std::int64_t> lengths, std::size_t packs) {
  using Entry = std::pair<std::int64_t, std::size_t>;
  std::priority_queue<Entry, std::vector<Entry>, std::greater<>> lightest;
  for (std::size_t pack = 0; pack < packs; ++pack) lightest.push({0, pack});
  std::vector<Pack> result(packs);
  for (std::size_t row : LongestFirst(lengths)) {
    const auto [weight, pack] = lightest.top();
    lightest.pop();
    result[pack].push_back(row);
    lightest.push({weight + lengths[row], pack});
  }
  return result;
}

constexpr std::size_t kDifferencingCells = std::size_t{1} << 22;

std::vector<Pack> Spread(std::span<const std::int64_t> lengths, std::size_t packs) {
  const bool small = lengths.size() * packs <= kDifferencingCells;
  std::vector<Pack> result = small ? LargestDifferencing(lengths, packs) : LightestFirst(lengths, packs);
  for (Pack& pack : result) std::ranges::sort(pack);
  return result;
}

std::int64_t Heaviest(const std::vector<Pack>& packs, std::span<const std::int64_t> lengths) {
  std::int64_t heaviest = 0;
  for (const Pack& pack : packs) {
    std::int64_t weight = 0;
    for (std::size_t row : pack) weight += lengths[row];
    heaviest = std::max(heaviest, weight);
  }
  return heaviest;
}

}  // namespace

Result<std::vector<Pack>> PackByBudget(std::span<const std::int64_t> lengths, std::int64_t budget) {
  KGYM_TRY_VOID(CheckLengths(lengths));
  for (std::size_t row = 0; row < lengths.size(); ++row) {
    if (lengths[row] <= budget) continue;
    return Error{Concat("row ", row, " has ", lengths[row], " tokens, more than the budget of ", budget)};
  }
  if (lengths.empty()) return std::vector<Pack>();
  const std::int64_t total = std::accumulate(lengths.begin(), lengths.end(), std::int64_t{0});
  std::vector<Pack> fitted = BestFit(lengths, budget);
  // An even spread over fewer packs, or as many, is better where it keeps to the budget.
  const auto least =
      static_cast<std::size_t>(budget > 0 ? std::max<std::int64_t>(1, (total + budget - 1) / budget) : 1);
  for (std::size_t packs = least; packs <= std::min(fitted.size(), least + 1); ++packs) {
    std::vector<Pack> even = Spread(lengths, packs);
    if (Heaviest(even, lengths) <= budget) return even;
  }
  if (std::vector<Pack> even = Spread(lengths, fitted.size()); Heaviest(even, lengths) <= budget) return even;
  for (Pack& pack : fitted) std::ranges::sort(pack);
  return fitted;
}

Result<std::vector<Pack>> PackEvenly(std::span<const std::int64_t> lengths, std::size_t packs) {
  KGYM_TRY_VOID(CheckLengths(lengths));
  if (packs == 0) return Error{"packs is 0; 1 or more is expected"};
  return Spread(lengths, packs);
}

}  // namespace kgym::learn
