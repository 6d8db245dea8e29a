// A wake-up call for one coroutine that waits with a deadline. Raising it before the wait is no loss.
//
// Threads: its executor.
#pragma once

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>

#include "base/async.h"
#include "base/clock.h"

namespace kgym::http {

class Signal {
 public:
  explicit Signal(const Executor& executor) : timer_(executor) {}
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;

  void Raise() {
    raised_ = true;
    timer_.cancel();
  }

  /// True when it was raised, which it is then no longer; false at the deadline.
  Awaitable<bool> WaitUntil(Instant deadline) {
    if (!raised_) {
      timer_.expires_at(deadline);
      boost::system::error_code code;
      co_await timer_.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, code));
    }
    co_return std::exchange(raised_, false);
  }

 private:
  boost::asio::steady_timer timer_;
  bool raised_ = false;
};

}  // namespace kgym::http
