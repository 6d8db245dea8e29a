#include "service/queue/subscriber.h"

#include <boost/asio/post.hpp>
#include <utility>

namespace kgym::service {

Subscriber::Subscriber(Executor executor, std::function<void(const Changes&)> callback)
    : executor_(std::move(executor)), callback_(std::move(callback)) {}

void Subscriber::Tell(std::shared_ptr<const Changes> changes) {
  const std::lock_guard lock(mutex_);
  if (ended_) return;
  boost::asio::post(executor_, [self = shared_from_this(), changes = std::move(changes)] {
    if (!self->ended_) self->callback_(*changes);
  });
}

void Subscriber::End() {
  const std::lock_guard lock(mutex_);
  ended_ = true;
}

}  // namespace kgym::service
