#include "base/async.h"

#include <algorithm>
#include <boost/asio/redirect_error.hpp>
#include <boost/system/system_error.hpp>

#include "base/check.h"

namespace kgym {
namespace {

namespace asio = boost::asio;

Awaitable<std::optional<bool>> AsValue(Awaitable<void> work) {
  co_await std::move(work);
  co_return true;
}

void EndOfSpawned(std::exception_ptr failure) {
  if (!failure) return;
  try {
    std::rethrow_exception(failure);
  } catch (const boost::system::system_error& error) {
    KGYM_CHECK(error.code() == asio::error::operation_aborted) << "escaped a coroutine: " << error.what();
  } catch (const std::exception& error) {
    KGYM_CHECK(false) << "escaped a coroutine: " << error.what();
  }
}

}  // namespace

void Spawn(const Executor& executor, Awaitable<void> work) { asio::co_spawn(executor, std::move(work), EndOfSpawned); }

Awaitable<void> SleepFor(Duration duration) {
  asio::steady_timer timer(co_await asio::this_coro::executor, duration);
  co_await timer.async_wait(asio::use_awaitable);
}

Awaitable<bool> WithDeadline(Duration limit, Awaitable<void> work) {
  const std::optional<bool> done = co_await internal::Race<bool>(limit, AsValue(std::move(work)));
  co_return done.has_value();
}

namespace internal {

void Waiter::Wake() {
  woken_ = true;
  timer_.expires_at(asio::steady_timer::time_point::min());  // Ends a wait that runs, and any that starts later.
}

Awaitable<void> Waiter::Sleep() {
  boost::system::error_code code;
  co_await timer_.async_wait(asio::redirect_error(asio::use_awaitable, code));
  if (!woken_) throw boost::system::system_error(asio::error::operation_aborted);
}

}  // namespace internal

void Event::Set() {
  set_ = true;
  for (internal::Waiter* waiter : waiting_) waiter->Wake();
}

Awaitable<void> Event::Wait() {
  if (set_) co_return;
  struct Place {
    explicit Place(Event& event) : waiting(event.waiting_), waiter(event.executor_) { waiting.push_back(&waiter); }
    ~Place() { std::erase(waiting, &waiter); }
    std::deque<internal::Waiter*>& waiting;
    internal::Waiter waiter;
  };
  Place place(*this);
  co_await place.waiter.Sleep();
}

AsyncSemaphore::Permit& AsyncSemaphore::Permit::operator=(Permit&& other) noexcept {
  if (this != &other) {
    Release();
    semaphore_ = std::exchange(other.semaphore_, nullptr);
  }
  return *this;
}

void AsyncSemaphore::Permit::Release() {
  if (semaphore_ != nullptr) std::exchange(semaphore_, nullptr)->GiveBack();
}

class AsyncSemaphore::Place {
 public:
  explicit Place(AsyncSemaphore& semaphore) : semaphore_(semaphore), waiter_(semaphore.executor_) {
    semaphore_.waiting_.push_back(&waiter_);
  }
  ~Place() {
    if (taken_) return;
    std::erase(semaphore_.waiting_, &waiter_);
    if (waiter_.woken()) semaphore_.GiveBack();  // Granted to a coroutine that no longer runs.
  }

  Awaitable<void> Sleep() { return waiter_.Sleep(); }
  Permit Take() {
    taken_ = true;
    return Permit(&semaphore_);
  }

 private:
  AsyncSemaphore& semaphore_;
  internal::Waiter waiter_;
  bool taken_ = false;
};

Awaitable<AsyncSemaphore::Permit> AsyncSemaphore::Acquire() {
  if (free_ > 0) {
    --free_;
    co_return Permit(this);
  }
  Place place(*this);
  co_await place.Sleep();
  co_return place.Take();
}

std::optional<AsyncSemaphore::Permit> AsyncSemaphore::TryAcquire() {
  if (free_ == 0) return std::nullopt;
  --free_;
  return Permit(this);
}

void AsyncSemaphore::GiveBack() {
  if (waiting_.empty()) {
    ++free_;
    return;
  }
  internal::Waiter* next = waiting_.front();
  waiting_.pop_front();
  next->Wake();
}

}  // namespace kgym
