#include "service/api/end_reader.h"

#include <optional>
#include <utility>
#include <vector>

#include "service/api/evaluation_json.h"
#include "service/http/signal.h"

namespace kgym::service {

struct EndReader::Reading {
  std::optional<Result<std::shared_ptr<const TaskEnd>>> end;
  std::vector<http::Signal*> waiting;
};

Awaitable<Result<std::shared_ptr<const TaskEnd>>> EndReader::Read(std::string id) {
  std::shared_ptr<Reading>& place = readings_[id];
  const bool first = place == nullptr;
  if (first) place = std::make_shared<Reading>();
  const std::shared_ptr<Reading> reading = place;
  if (first) {
    co_await Run(std::move(id), reading);
  } else {
    http::Signal there(executor_);
    reading->waiting.push_back(&there);
    while (!reading->end) co_await there.WaitUntil(Instant::max());
  }
  co_return *reading->end;
}

Awaitable<void> EndReader::Run(std::string id, std::shared_ptr<Reading> reading) {
  Result<std::optional<Task>> task = co_await queue_.Get(id);
  readings_.erase(id);
  if (!task.ok()) {
    reading->end = task.error();
  } else if (!*task || !Ended((*task)->state)) {
    reading->end = std::shared_ptr<const TaskEnd>();
  } else {
    std::string json = DumpJson(EvaluationJson(**task, std::nullopt));
    reading->end = std::make_shared<const TaskEnd>(TaskEnd{**std::move(task), std::move(json)});
  }
  for (http::Signal* one : reading->waiting) one->Raise();
}

}  // namespace kgym::service
