// The work that a bench gives to a judge: cases read from folders, evaluated one at a time or many at once.
//
// Threads: the judge's executor.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "apps/kgym/case_file.h"
#include "base/async.h"
#include "base/clock.h"
#include "judge/judge.h"

namespace kgym::bench {

/// One evaluation that may be asked for, again and again.
struct Item {
  std::string name;
  judge::Problem problem;
  judge::Submission submission;
  judge::JudgeConfig config;
  std::vector<std::string> expect;  // Outcomes of which any will do.

  bool Expects(std::string_view outcome) const;
};

/// The cases below `folder` that run on the configuration's device; none where there is no such folder.
Result<std::vector<Item>> ReadItems(const std::filesystem::path& folder, const std::string& problems,
                                    const judge::JudgeConfig& config);

/// One evaluation that has ended.
struct Ran {
  const Item* item = nullptr;
  std::string outcome;  // "problem" where the problem could not be judged.
  std::string reason;
  Instant ended;
  judge::Verdict verdict;  // Without provenance and log.

  double stage_ms(std::string_view name) const;  // 0 for one that was not reached.
};

/// Evaluates one item. `distinct`: its source gets a comment of its own, so that no cache knows it.
Awaitable<Ran> RunOne(judge::Judge& judge, const Item& item, bool distinct);

/// Keeps `in_flight` evaluations going: `next` says which, and nothing when it is enough. In the order of their ends.
Awaitable<std::vector<Ran>> RunMany(judge::Judge& judge, int in_flight, bool distinct,
                                    std::function<const Item*()> next);

/// Every item once after the other, `rounds` times.
std::function<const Item*()> Rounds(const std::vector<Item>& items, std::size_t rounds);

}  // namespace kgym::bench
