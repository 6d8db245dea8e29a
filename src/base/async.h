// Coroutines on Boost.Asio, and the few things to wait for that it lacks.
//
// An Executor here is one that runs one thing at a time (an io_context run by one thread, or a strand). Everything that
// waits on it is cancelled the way Asio cancels: the co_await throws boost::system::system_error(operation_aborted),
// which unwinds the coroutine up to Spawn() or WithDeadline() and is not caught in between.
//
// GCC 12 destroys twice what a lambda captured when the lambda is written inside a co_await expression: name it first.
//
// Threads: an object belongs to its executor; use it from there only.
#pragma once

#include <boost/asio/any_io_executor.hpp>
#include <boost/asio/awaitable.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/deferred.hpp>
#include <boost/asio/experimental/parallel_group.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/this_coro.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstddef>
#include <deque>
#include <exception>
#include <optional>
#include <utility>

#include "base/duration.h"

namespace kgym {

template <class T>
using Awaitable = boost::asio::awaitable<T>;

using Executor = boost::asio::any_io_executor;

/// Runs `work` on `executor`, on its own. Being cancelled ends it quietly; any other exception that escapes it is a bug
/// and stops the process.
void Spawn(const Executor& executor, Awaitable<void> work);

Awaitable<void> SleepFor(Duration duration);

namespace internal {

/// One coroutine's place in a line: it sleeps until it is woken or cancelled.
class Waiter {
 public:
  explicit Waiter(const Executor& executor) : timer_(executor, boost::asio::steady_timer::time_point::max()) {}

  void Wake();
  bool woken() const { return woken_; }

  /// Throws operation_aborted when the coroutine is cancelled before it is woken.
  Awaitable<void> Sleep();

 private:
  boost::asio::steady_timer timer_;
  bool woken_ = false;
};

}  // namespace internal

/// Something that happens once; whoever waits, before or after, goes on. Must outlive those who wait.
class Event {
 public:
  explicit Event(Executor executor) : executor_(std::move(executor)) {}
  Event(const Event&) = delete;
  Event& operator=(const Event&) = delete;

  void Set();
  bool is_set() const { return set_; }
  Awaitable<void> Wait();

 private:
  Executor executor_;
  bool set_ = false;
  std::deque<internal::Waiter*> waiting_;
};

/// A number of permits, granted in the order they were asked for. Must outlive its permits and those who wait.
class AsyncSemaphore {
 public:
  /// Move-only; gives itself back.
  class Permit {
   public:
    Permit() = default;
    Permit(Permit&& other) noexcept : semaphore_(std::exchange(other.semaphore_, nullptr)) {}
    Permit& operator=(Permit&& other) noexcept;
    ~Permit() { Release(); }

    void Release();
    explicit operator bool() const { return semaphore_ != nullptr; }

   private:
    friend class AsyncSemaphore;
    explicit Permit(AsyncSemaphore* semaphore) : semaphore_(semaphore) {}

    AsyncSemaphore* semaphore_ = nullptr;
  };

  AsyncSemaphore(Executor executor, std::size_t permits) : executor_(std::move(executor)), free_(permits) {}
  AsyncSemaphore(const AsyncSemaphore&) = delete;
  AsyncSemaphore& operator=(const AsyncSemaphore&) = delete;

  Awaitable<Permit> Acquire();
  std::optional<Permit> TryAcquire();

  std::size_t free() const { return free_; }
  std::size_t waiting() const { return waiting_.size(); }

 private:
  class Place;  // A coroutine in waiting_, which leaves it however the wait ends.

  void GiveBack();

  Executor executor_;
  std::size_t free_;
  std::deque<internal::Waiter*> waiting_;
};

namespace internal {

template <class T>
Awaitable<std::optional<T>> Boxed(Awaitable<T> work) {
  co_return std::optional<T>(co_await std::move(work));
}

/// The outcome of `work`, or nothing where `limit` passed first: `work` is then cancelled, and has ended on return.
template <class T>
Awaitable<std::optional<T>> Race(Duration limit, Awaitable<std::optional<T>> work) {
  const Executor executor = co_await boost::asio::this_coro::executor;
  boost::asio::steady_timer timer(executor, limit);
  auto race = boost::asio::experimental::make_parallel_group(
      boost::asio::co_spawn(executor, std::move(work), boost::asio::deferred), timer.async_wait(boost::asio::deferred));
  auto [order, failure, outcome, timer_code] =
      co_await race.async_wait(boost::asio::experimental::wait_for_one(), boost::asio::use_awaitable);
  const bool too_late = order[0] == 1 && !timer_code;
  if (failure && !too_late) std::rethrow_exception(failure);
  if (failure) co_return std::nullopt;
  co_return std::move(outcome);
}

}  // namespace internal

/// The value of `work`, or nothing if it took longer than `limit`; it is then cancelled, and has ended on return. Work
/// that ended while it was being cancelled still gives its value.
template <class T>
Awaitable<std::optional<T>> WithDeadline(Duration limit, Awaitable<T> work) {
  co_return co_await internal::Race<T>(limit, internal::Boxed(std::move(work)));
}

/// Whether `work` ended within `limit`.
Awaitable<bool> WithDeadline(Duration limit, Awaitable<void> work);

}  // namespace kgym
