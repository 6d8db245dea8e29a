#include "base/async.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kgym {
namespace {

namespace asio = boost::asio;
using Permit = AsyncSemaphore::Permit;

class AsyncTest : public testing::Test {
 protected:
  asio::io_context context_;
  Executor executor_ = context_.get_executor();
};

TEST_F(AsyncTest, EventWakesThoseWhoWaitBeforeAndAfter) {
  Event event(executor_);
  int woken = 0;
  const auto wait = [&]() -> Awaitable<void> {
    co_await event.Wait();
    ++woken;
  };
  Spawn(executor_, wait());
  Spawn(executor_, wait());
  context_.poll();
  EXPECT_EQ(woken, 0);
  event.Set();
  Spawn(executor_, wait());
  context_.restart();
  context_.run();
  EXPECT_EQ(woken, 3);
}

TEST_F(AsyncTest, SemaphoreGrantsInOrderAndNeverMoreThanItHas) {
  AsyncSemaphore semaphore(executor_, 2);
  std::vector<int> order;
  int inside = 0;
  int most = 0;
  const auto worker = [&](int number) -> Awaitable<void> {
    Permit permit = co_await semaphore.Acquire();
    order.push_back(number);
    most = std::max(most, ++inside);
    co_await SleepFor(1ms);
    --inside;
  };
  for (int i = 0; i < 6; ++i) Spawn(executor_, worker(i));
  context_.run();
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4, 5}));
  EXPECT_EQ(most, 2);
  EXPECT_EQ(semaphore.free(), 2u);
}

TEST_F(AsyncTest, CancelledWaiterLeavesTheLine) {
  AsyncSemaphore semaphore(executor_, 1);
  std::optional<Permit> held = semaphore.TryAcquire();
  ASSERT_TRUE(held);
  EXPECT_FALSE(semaphore.TryAcquire());
  std::vector<std::string> log;
  const auto impatient = [&]() -> Awaitable<void> {
    const std::optional<Permit> got = co_await WithDeadline(5ms, semaphore.Acquire());
    log.push_back(got ? "got" : "gave up");
    held.reset();
  };
  const auto patient = [&]() -> Awaitable<void> {
    const Permit permit = co_await semaphore.Acquire();
    log.push_back("patient");
  };
  Spawn(executor_, impatient());
  Spawn(executor_, patient());
  context_.run();
  EXPECT_EQ(log, (std::vector<std::string>{"gave up", "patient"}));
  EXPECT_EQ(semaphore.free(), 1u);
  EXPECT_EQ(semaphore.waiting(), 0u);
}

TEST(AsyncSemaphore, GrantedPermitOfADestroyedCoroutineIsNotLost) {
  auto context = std::make_unique<asio::io_context>();
  const Executor executor = context->get_executor();
  AsyncSemaphore semaphore(executor, 1);
  std::optional<Permit> held = semaphore.TryAcquire();
  const auto wait = [&]() -> Awaitable<void> { const Permit permit = co_await semaphore.Acquire(); };
  Spawn(executor, wait());
  Spawn(executor, wait());
  context->poll();
  EXPECT_EQ(semaphore.waiting(), 2u);
  held.reset();  // Granted to the first, which never runs again.
  EXPECT_EQ(semaphore.free(), 0u);
  context.reset();
  EXPECT_EQ(semaphore.waiting(), 0u);
  EXPECT_EQ(semaphore.free(), 1u);
}

TEST_F(AsyncTest, WithDeadlineGivesTheValueInTime) {
  std::optional<std::unique_ptr<int>> result;
  const auto work = []() -> Awaitable<std::unique_ptr<int>> {
    co_await SleepFor(1ms);
    co_return std::make_unique<int>(7);
  };
  const auto outer = [&]() -> Awaitable<void> { result = co_await WithDeadline(10s, work()); };
  Spawn(executor_, outer());
  context_.run();
  ASSERT_TRUE(result);
  EXPECT_EQ(**result, 7);
}

TEST_F(AsyncTest, WithDeadlineEndsTheWorkBeforeItReturns) {
  bool unwound = false;
  bool in_time = true;
  struct AtEnd {
    bool& flag;
    ~AtEnd() { flag = true; }
  };
  const auto work = [&]() -> Awaitable<void> {
    const AtEnd end{unwound};
    co_await SleepFor(1h);
  };
  const auto outer = [&]() -> Awaitable<void> {
    in_time = co_await WithDeadline(2ms, work());
    EXPECT_TRUE(unwound);
  };
  Spawn(executor_, outer());
  context_.run();
  EXPECT_FALSE(in_time);
}

TEST_F(AsyncTest, NestedDeadlinesTellTheInnerFromTheOuter) {
  std::vector<std::string> log;
  const auto forever = []() -> Awaitable<void> { co_await SleepFor(1h); };
  const auto middle = [&]() -> Awaitable<void> {
    const bool in_time = co_await WithDeadline(1h, forever());
    log.push_back(in_time ? "inner done" : "inner late");
  };
  const auto outer = [&]() -> Awaitable<void> {
    const bool in_time = co_await WithDeadline(2ms, middle());
    log.push_back(in_time ? "outer done" : "outer late");
  };
  Spawn(executor_, outer());
  context_.run();
  EXPECT_EQ(log, (std::vector<std::string>{"outer late"}));
}

TEST_F(AsyncTest, ExceptionOfTheWorkComesThroughAtOnce) {
  std::string seen;
  const auto work = []() -> Awaitable<int> {
    throw std::runtime_error("broken");
    co_return 1;
  };
  const auto outer = [&]() -> Awaitable<void> {
    try {
      co_await WithDeadline(1h, work());
    } catch (const std::runtime_error& error) {
      seen = error.what();
    }
  };
  Spawn(executor_, outer());
  context_.run();
  EXPECT_EQ(seen, "broken");
}

TEST_F(AsyncTest, EscapedExceptionStopsTheProcess) {
  const auto work = []() -> Awaitable<void> {
    throw std::runtime_error("broken");
    co_return;
  };
  Spawn(executor_, work());
  EXPECT_DEATH(context_.run(), "escaped a coroutine: broken");
}

Awaitable<Result<int>> Half(int value) {
  if (value % 2 != 0) co_return Error{std::to_string(value) + " is odd"};
  co_return value / 2;
}

Awaitable<Result<int>> Quarter(int value) {
  KGYM_CO_TRY(const int half, co_await Half(value));
  KGYM_CO_TRY_VOID(half > 100 ? Status(Error{"too large"}) : Ok());
  co_return co_await Half(half);
}

TEST_F(AsyncTest, TryLeavesACoroutineWithTheError) {
  std::vector<std::string> log;
  const auto outer = [&]() -> Awaitable<void> {
    for (const int value : {12, 6, 3, 400}) {
      const Result<int> result = co_await Quarter(value);
      log.push_back(result ? std::to_string(*result) : result.error().message);
    }
  };
  Spawn(executor_, outer());
  context_.run();
  EXPECT_EQ(log, (std::vector<std::string>{"3", "3 is odd", "3 is odd", "too large"}));
}

}  // namespace
}  // namespace kgym
