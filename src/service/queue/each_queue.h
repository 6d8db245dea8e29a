// For tests of what every queue does, whichever keeps it: each runs on all of them (queue_test.cc instantiates them).
//
// Threads: the test's.
#pragma once

#include <memory>
#include <utility>

#include "service/queue/queue_fixture.h"
#include "service/queue/queue_places.h"

namespace kgym::service {

class QueueTest : public testing::TestWithParam<PlaceMaker> {
 protected:
  void SetUp() override {
    Result<std::unique_ptr<Place>> place = GetParam().make();
    if (!place) GTEST_SKIP() << place.error().message;
    place_ = std::move(*place);
    Reopen();
  }

  void Reopen(Bounds bounds = {}) {
    queue_.Use(nullptr);
    Result<std::unique_ptr<Queue>> opened = place_->Open(clock_, bounds);
    ASSERT_TRUE(opened) << opened.error().message;
    queue_.Use(std::move(*opened));
  }

  /// A second look of a queue that learns of leases by looking; time passes between.
  int ExpireAfter(Duration step) {
    queue_.Expire();
    clock_.Advance(step);
    return queue_.Expire();
  }

  void RunUntil(const bool& flag) {
    const auto guard = boost::asio::make_work_guard(context_);
    context_.restart();
    while (!flag) context_.run_one();
  }

  boost::asio::io_context context_;
  FakeClock clock_;
  std::unique_ptr<Place> place_;
  Driver queue_{context_};
};

}  // namespace kgym::service
