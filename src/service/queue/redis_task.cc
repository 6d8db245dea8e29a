#include "service/queue/redis_task.h"

#include <array>
#include <charconv>
#include <cstdlib>

#include "base/text.h"
#include "service/queue/labels.h"

namespace kgym::service {
namespace {

constexpr std::size_t kFields = 24;

// Reads back to the same number.
std::string Exact(double value) {
  std::array<char, 32> text;
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

}  // namespace

void AppendSpec(const TaskSpec& spec, RedisCommand& command) {
  for (std::string word :
       {spec.id, spec.tenant, spec.run, std::to_string(spec.priority), spec.content_key, LabelsText(spec.labels),
        spec.affinity, Exact(spec.expected_hold_s), std::to_string(spec.deadline_ms), std::to_string(spec.max_attempts),
        std::string(spec.dedup ? "1" : "0"), Fingerprint(spec), ShareKey(spec)}) {
    command.push_back(std::move(word));
  }
}

Result<Task> TaskOf(const RedisReply& values, std::size_t first, std::size_t step) {
  if (!values.is_array() || values.size() < first + (kFields - 1) * step + 1) {
    return Error{Concat("redis: a task of ", values.size(), " values; ", kFields, " are expected")};
  }
  Task task;
  std::size_t next = first;
  const auto take = [&] {
    const RedisReply value = values[next];
    next += step;
    return value;
  };
  const auto text = [&] { return take().Text(); };
  const auto number = [&] { return take().Int(); };
  task.sequence = static_cast<std::uint64_t>(number());
  task.spec.id = text();
  task.state = static_cast<TaskState>(number());
  task.spec.tenant = text();
  task.spec.run = text();
  task.spec.priority = static_cast<int>(number());
  task.spec.content_key = text();
  KGYM_TRY(task.spec.labels, ParseLabels(text()));
  task.spec.affinity = text();
  task.spec.expected_hold_s = std::strtod(text().c_str(), nullptr);
  task.spec.deadline_ms = number();
  task.spec.max_attempts = static_cast<int>(number());
  task.spec.dedup = number() != 0;
  task.submitted_ms = number();
  task.started_ms = number();
  task.ended_ms = number();
  task.attempt = static_cast<int>(number());
  task.handed_back = static_cast<int>(number());
  task.lease_ms = number();
  task.worker = text();
  task.lane = text();
  task.stage = text();
  task.reason = text();
  task.attached_to = text();
  return task;
}

Result<Task> WholeTaskOf(const RedisReply& values, std::size_t first) {
  KGYM_TRY(Task task, TaskOf(values, first));
  if (values.size() != first + kFields + 2) return Error{"redis: a task without payload and result"};
  task.spec.payload = values[first + kFields].Text();
  task.result = values[first + kFields + 1].Text();
  return task;
}

}  // namespace kgym::service
