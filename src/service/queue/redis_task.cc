#include "service/queue/redis_task.h"

#include <array>
#include <charconv>
#include <cstdlib>
#include <utility>

#include "base/text.h"
#include "service/queue/labels.h"
#include "service/queue/task_row.h"

namespace kgym::service {
namespace {

// Reads back to the same number.
std::string Exact(double value) {
  std::array<char, 32> text;
  const std::to_chars_result end = std::to_chars(text.data(), text.data() + text.size(), value);
  return {text.data(), end.ptr};
}

/// Every `step`th value of a reply, one after the other.
struct Fields {
  const RedisReply& values;
  std::size_t next, step;

  RedisReply Take() { return values[std::exchange(next, next + step)]; }
  std::string Text() { return Take().Text(); }
  std::int64_t Int() { return Take().Int(); }
  double Double() { return std::strtod(Text().c_str(), nullptr); }
};

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
  if (!values.is_array() || values.size() < first + (kTaskColumns - 1) * step + 1) {
    return Error{Concat("redis: a task of ", values.size(), " values; ", kTaskColumns, " are expected")};
  }
  return ReadTaskRow(Fields{values, first, step});
}

Result<Task> WholeTaskOf(const RedisReply& values, std::size_t first) {
  KGYM_TRY(Task task, TaskOf(values, first));
  if (values.size() != first + kTaskColumns + 2) return Error{"redis: a task without payload and result"};
  task.spec.payload = values[first + kTaskColumns].Text();
  task.result = values[first + kTaskColumns + 1].Text();
  return task;
}

}  // namespace kgym::service
