#include "service/queue/request_check.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr std::size_t kLongestName = 200;
constexpr std::size_t kMostLabels = 32;
constexpr int kMostAttempts = 100;

Status CheckName(std::string_view field, std::string_view value, std::size_t shortest) {
  const auto control = [](unsigned char c) { return c < 0x20 || c == 0x7f; };
  const bool plain = IsUtf8(value) && std::none_of(value.begin(), value.end(), control);
  const auto characters =
      static_cast<std::size_t>(std::ranges::count_if(value, [](char c) { return (c & 0xc0) != 0x80; }));
  if (characters < shortest || characters > kLongestName || !plain) {
    return Error{Concat(field, ": '", ToUtf8(TruncateUtf8(value, 80)), "' has ", characters, " characters; ", shortest,
                        " to ", kLongestName, " of UTF-8 without control characters are expected")};
  }
  return Ok();
}

}  // namespace

Status CheckSpec(const TaskSpec& spec) {
  KGYM_TRY_VOID(CheckName("id", spec.id, 1));
  const std::string task = Concat("task '", spec.id, "': ");
  KGYM_TRY_VOID(CheckName(task + "tenant", spec.tenant, 0));
  KGYM_TRY_VOID(CheckName(task + "run", spec.run, 0));
  KGYM_TRY_VOID(CheckName(task + "content_key", spec.content_key, 0));
  KGYM_TRY_VOID(CheckName(task + "affinity", spec.affinity, 0));
  if (spec.labels.size() > kMostLabels) {
    return Error{Concat(task, "labels: ", spec.labels.size(), " are given; at most ", kMostLabels, " are expected")};
  }
  for (const auto& [key, value] : spec.labels) {
    KGYM_TRY_VOID(CheckName(task + "labels", key, 1));
    KGYM_TRY_VOID(CheckName(Concat(task, "labels.", key), value, 0));
  }
  if (spec.priority < 0 || spec.priority >= kPriorities) {
    return Error{Concat(task, "priority: ", spec.priority, "; 0 (low), 1 (normal) or 2 (high) is expected")};
  }
  if (spec.max_attempts < 1 || spec.max_attempts > kMostAttempts) {
    return Error{Concat(task, "max_attempts: ", spec.max_attempts, "; 1 to ", kMostAttempts, " are expected")};
  }
  if (!(spec.expected_hold_s >= 0 && spec.expected_hold_s <= 1e9)) {
    return Error{Concat(task, "expected_hold_s: ", spec.expected_hold_s, "; 0 to 1e9 seconds are expected")};
  }
  if (spec.deadline_ms < 0) {
    return Error{Concat(task, "deadline_ms: ", spec.deadline_ms, "; unix milliseconds are expected, or 0 for none")};
  }
  return Ok();
}

Status CheckLease(const std::string& worker, Duration lease) {
  KGYM_TRY_VOID(CheckName("worker", worker, 1));
  if (lease < 1ms || lease > 24h * 7) {
    return Error{Concat("lease: ", ExactDuration(lease), "; 1 ms to 7 days are expected")};
  }
  return Ok();
}

Result<std::uint64_t> ParseCursor(const std::string& cursor) {
  if (cursor.empty()) return std::uint64_t{std::numeric_limits<std::int64_t>::max()};
  std::uint64_t before = 0;
  const auto [end, code] = std::from_chars(cursor.data(), cursor.data() + cursor.size(), before);
  const bool whole = code == std::errc() && end == cursor.data() + cursor.size();
  if (!whole || before > std::numeric_limits<std::int64_t>::max()) {
    return Error{Concat("cursor: '", ToUtf8(TruncateUtf8(cursor, 40)), "'; the `next` of an earlier page is expected")};
  }
  return before;
}

Status CheckLimit(int limit) {
  if (limit < 1 || limit > kLargestPage) {
    return Error{Concat("limit: ", limit, "; 1 to ", kLargestPage, " are expected")};
  }
  return Ok();
}

}  // namespace kgym::service
