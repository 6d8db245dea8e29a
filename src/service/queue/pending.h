// The way back from a queue's own thread to the coroutine that asked.
//
// Threads: made and awaited on the caller's executor; answered once, from any thread. Whoever answers holds a
// reference, so that a caller which was cancelled meanwhile is no matter.
#pragma once

#include <boost/asio/post.hpp>
#include <memory>
#include <optional>
#include <utility>

#include "base/async.h"
#include "base/result.h"

namespace kgym::service {

template <class T>
class Pending : public std::enable_shared_from_this<Pending<T>> {
 public:
  explicit Pending(const Executor& executor) : executor_(executor), answered_(executor) {}

  void Answer(Result<T> answer) {
    boost::asio::post(executor_, [self = this->shared_from_this(), answer = std::move(answer)]() mutable {
      self->answer_ = std::move(answer);
      self->answered_.Set();
    });
  }

  Awaitable<Result<T>> Wait() {
    const auto self = this->shared_from_this();
    co_await answered_.Wait();
    co_return std::move(*answer_);
  }

 private:
  Executor executor_;
  Event answered_;
  std::optional<Result<T>> answer_;
};

}  // namespace kgym::service
