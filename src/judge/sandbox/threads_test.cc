#include "judge/sandbox/threads.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <latch>
#include <thread>
#include <vector>

namespace kgym::judge::sandbox {
namespace {

std::atomic<int> acted{0};
bool Act() {
  ++acted;
  return true;
}
bool Refuse() { return false; }

// Threads that exist for as long as this does.
class Sleepers {
 public:
  explicit Sleepers(int count, bool deaf = false) : started_(count), leave_(1) {
    for (int i = 0; i < count; ++i) {
      threads_.emplace_back([this, deaf] {
        sigset_t all;
        sigfillset(&all);
        if (deaf) pthread_sigmask(SIG_BLOCK, &all, nullptr);
        started_.count_down();
        leave_.wait();
      });
    }
    started_.wait();
  }
  ~Sleepers() {
    leave_.count_down();
    for (std::thread& thread : threads_) thread.join();
  }

 private:
  std::latch started_;
  std::latch leave_;
  std::vector<std::thread> threads_;
};

TEST(Threads, EveryThreadActsOnce) {
#ifdef __SANITIZE_THREAD__
  GTEST_SKIP()
      << "the thread sanitizer holds asynchronous signals back until a thread calls into it; sleeping threads do not";
#endif
  Sleepers sleepers(5);
  acted = 0;
  std::string why;
  EXPECT_TRUE(OnEveryThread(Act, why)) << why;
  EXPECT_EQ(acted, 6);
}

TEST(Threads, RefusalIsReported) {
  std::string why;
  EXPECT_FALSE(OnEveryThread(Refuse, why));
  EXPECT_NE(why.find("refused"), std::string::npos);
}

TEST(Threads, DeafThreadIsReportedAndNotWaitedForForEver) {
  Sleepers sleepers(1, /*deaf=*/true);
  std::string why;
  EXPECT_FALSE(OnEveryThread(Act, why));
  EXPECT_NE(why.find("blocks signals"), std::string::npos);
}

}  // namespace
}  // namespace kgym::judge::sandbox
