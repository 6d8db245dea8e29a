#include "service/queue/change_feed.h"

#include <utility>

namespace kgym::service {

void ChangeFeed::Begin(const std::shared_ptr<Subscriber>& subscriber, std::vector<Task> live) {
  const std::lock_guard lock(mutex_);
  subscribers_.push_back(subscriber);
  subscriber->Tell(std::make_shared<const Changes>(Changes{.reset = true, .tasks = std::move(live)}));
}

void ChangeFeed::Publish(Changes changes) {
  const std::lock_guard lock(mutex_);
  std::erase_if(subscribers_, [](const auto& subscriber) { return subscriber->ended(); });
  if (subscribers_.empty()) return;
  const auto shared = std::make_shared<const Changes>(std::move(changes));
  for (const auto& subscriber : subscribers_) subscriber->Tell(shared);
}

}  // namespace kgym::service
