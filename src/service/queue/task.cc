#include "service/queue/task.h"

#include <algorithm>
#include <array>

#include "base/hash.h"

namespace kgym::service {
namespace {

constexpr std::array<std::string_view, kTaskStates> kNames = {"queued", "running", "done", "cancelled", "dead"};

void FeedLabels(Sha256& hash, const TaskSpec& spec) {
  hash.Field(std::to_string(spec.labels.size()));
  for (const auto& [key, value] : spec.labels) hash.Field(key).Field(value);
}

}  // namespace

std::string_view Name(TaskState state) { return kNames[static_cast<std::size_t>(state)]; }

std::optional<TaskState> ParseTaskState(std::string_view name) {
  const auto found = std::find(kNames.begin(), kNames.end(), name);
  if (found == kNames.end()) return std::nullopt;
  return static_cast<TaskState>(found - kNames.begin());
}

std::string Fingerprint(const TaskSpec& spec) {
  Sha256 hash;
  hash.Field(spec.tenant).Field(spec.content_key).Field(spec.payload);
  FeedLabels(hash, spec);
  return hash.FinishHex();
}

std::string ShareKey(const TaskSpec& spec) {
  if (!spec.dedup || spec.content_key.empty()) return {};
  Sha256 hash;
  hash.Field(spec.tenant).Field(spec.content_key);
  FeedLabels(hash, spec);
  return hash.FinishHex();
}

}  // namespace kgym::service
