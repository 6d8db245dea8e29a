// A lane on a device that is not there: hosts that fail, come late and recover as a test says.
#include "judge/lane.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <map>

#include "judge/fake_host.h"
#include "judge/fake_nvml.h"

namespace kgym::judge {
namespace {

/// Makes hosts without processes, whose supervisors and pipes it keeps open.
class FakeDevice : public HostMaker {
 public:
  explicit FakeDevice(boost::asio::io_context& io) : executor_(io.get_executor()) {}

  Awaitable<Result<std::unique_ptr<Host>>> Fork(HostSpec spec) override {
    ++asked;
    if (slow) co_await slow->Wait();
    if (wedged) co_return Error{"CUDA_ERROR_UNKNOWN"};
    made.push_back(spec.kind);
    FakeHost fake(executor_, spec.kind, spec.gate);
    open_.push_back({std::move(fake.supervisor), std::move(fake.process), std::move(fake.printed)});
    co_return std::move(fake.host);
  }

  /// Whether the first `count` hosts that were made are gone: the other ends of their supervisors are closed.
  bool AllEnded(std::size_t count) const {
    for (std::size_t i = 0; i < count; ++i) {
      char letter = 0;
      ssize_t got = 1;
      while (got > 0) got = ::recv(open_[i].supervisor.get(), &letter, 1, MSG_DONTWAIT);
      if (got != 0) return false;
    }
    return true;
  }

  bool wedged = false;
  std::unique_ptr<Event> slow;  // Hosts come when it is set.
  int asked = 0;
  std::vector<HostKind> made;

 private:
  struct Ends {
    Fd supervisor, process, printed;
  };
  Executor executor_;
  std::vector<Ends> open_;
};

class LaneTest : public testing::Test {
 protected:
  LaneTest() {
    config_.at_once = 2;
    config_.pool = 3;
    config_ = config_.Completed();
    device_.cpus = {0};
    lane_ = std::make_unique<Lane>(io_.get_executor(), hosts_, config_, device_);
  }
  ~LaneTest() override { Do(lane_->Close()); }

  void Do(Awaitable<void> work) {
    bool done = false;
    const auto run = [&]() -> Awaitable<void> {
      co_await std::move(work);
      done = true;
    };
    Spawn(io_.get_executor(), run());
    io_.restart();
    while (!done) io_.run_one();
  }
  void Settle() {
    io_.restart();
    io_.poll();
  }
  Result<std::unique_ptr<Host>> Candidate() {
    Result<std::unique_ptr<Host>> taken = Error{"not asked"};
    const auto take = [&]() -> Awaitable<void> { taken = co_await lane_->TakeCandidate(config_.limits); };
    Do(take());
    return taken;
  }

  boost::asio::io_context io_{1};
  FakeDevice hosts_{io_};
  FakeNvml nvml_;
  JudgeConfig config_;
  LaneDevice device_;
  std::unique_ptr<Lane> lane_;
};

TEST_F(LaneTest, KeepsHostsReadyAndMakesThemUp) {
  lane_->Refill();
  Settle();
  EXPECT_EQ(hosts_.made.size(), 3U);
  EXPECT_TRUE(Candidate().ok());
  EXPECT_EQ(hosts_.made.size(), 3U) << "one that was ready";
  lane_->Refill();
  Settle();
  EXPECT_EQ(hosts_.made.size(), 4U);
}

TEST_F(LaneTest, AWedgedDeviceIsTakenOutOfUseAndComesBackByItself) {
  hosts_.wedged = true;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Candidate().ok());
  EXPECT_EQ(lane_->Illness(), "CUDA_ERROR_UNKNOWN");

  bool placed = false;
  const auto evaluation = [&]() -> Awaitable<void> {
    const auto place = co_await lane_->Acquire();
    placed = true;
  };
  Spawn(io_.get_executor(), evaluation());
  lane_->Refill();
  Settle();
  EXPECT_FALSE(placed) << "an evaluation waits and is not failed";
  EXPECT_EQ(hosts_.asked, 3) << "nobody is sent to a wedged device";

  hosts_.wedged = false;
  io_.restart();
  while (!placed) io_.run_one();
  EXPECT_EQ(lane_->Illness(), "");
}

TEST_F(LaneTest, OneFailureMakesNobodyIll) {
  hosts_.wedged = true;
  EXPECT_FALSE(Candidate().ok());
  EXPECT_FALSE(Candidate().ok());
  hosts_.wedged = false;
  EXPECT_TRUE(Candidate().ok());
  hosts_.wedged = true;
  EXPECT_FALSE(Candidate().ok());
  EXPECT_EQ(lane_->Illness(), "");
}

TEST_F(LaneTest, ClosesWhileAnEvaluationRunsAndAHostComesMeanwhile) {
  hosts_.slow = std::make_unique<Event>(io_.get_executor());
  lane_->Refill();
  std::optional<AsyncSemaphore::Permit> place;
  const auto enter = [&]() -> Awaitable<void> { place = co_await lane_->Acquire(); };
  Do(enter());
  bool closed = false;
  const auto close = [&]() -> Awaitable<void> {
    co_await lane_->Close();
    closed = true;
  };
  Spawn(io_.get_executor(), close());
  Settle();
  hosts_.slow->Set();  // The last task in the background ends while the lane still waits for the evaluation.
  Settle();
  EXPECT_FALSE(closed);
  place.reset();
  Settle();
  EXPECT_TRUE(closed);
}

TEST_F(LaneTest, ClosesWhileItIsIll) {
  hosts_.wedged = true;
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(Candidate().ok());
  EXPECT_NE(lane_->Illness(), "");
}

/// A card of 80 GB that others use nothing of.
class CardLaneTest : public LaneTest {
 protected:
  CardLaneTest() {
    config_.device = "cuda";
    device_.card = "GPU-of-a-test";
    device_.found.memory_bytes = std::int64_t{80} << 30;
    device_.found.uuid = device_.card;
    card_ = &nvml_.Add(device_.card);
    device_.nvml = &nvml_.library;
    Do(lane_->Close());
    lane_ = std::make_unique<Lane>(io_.get_executor(), hosts_, config_, device_);
  }

  /// `bytes` of the card, or all of it for 0.
  void Ask(std::string who, std::int64_t bytes) {
    Spawn(io_.get_executor(), Hold(std::move(who), bytes));
    Settle();
  }
  Awaitable<void> Hold(std::string who, std::int64_t bytes) {
    if (bytes == 0) {
      claims_[who] = co_await lane_->ReserveAll();
    } else {
      claims_[who] = co_await lane_->Reserve(bytes);
    }
    granted_.push_back(who);
  }

  CardReports Reports() {
    CardReports reports;
    const auto ask = [&]() -> Awaitable<void> { reports = co_await lane_->Reports(); };
    Do(ask());
    return reports;
  }

  static constexpr std::int64_t kGb = std::int64_t{1} << 30;
  FakeCard* card_ = nullptr;
  std::map<std::string, MemoryLedger::Claim> claims_;
  std::vector<std::string> granted_;
};

TEST_F(CardLaneTest, WhoIsJudgedAloneWaitsForTheOthersAndKeepsThemOut) {
  Ask("first", 10 * kGb);
  Ask("alone", 0);
  Ask("later", 1 * kGb);
  EXPECT_EQ(granted_, (std::vector<std::string>{"first"}));
  claims_["first"].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector<std::string>{"first", "alone"}));
  claims_["alone"].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector<std::string>{"first", "alone", "later"}));
  claims_.clear();
}

TEST_F(CardLaneTest, ContextsOfAllHostsAreSetAsideBeforeAnythingIsPromised) {
  Ask("most", 74 * kGb);  // Two evaluations at once, three candidate and two reference hosts ready: nine contexts.
  Ask("little", 1 * kGb);
  EXPECT_EQ(granted_, (std::vector<std::string>{"most"}))
      << "granted since nobody else is there; then the card is full";
  claims_["most"].Release();
  Settle();
  EXPECT_EQ(granted_.size(), 2U);
  claims_.clear();
}

TEST_F(CardLaneTest, ALaneKnowsWhatItsCardReports) {
  const CardReports before = Reports();
  nvml_.Report(*card_, kNvmlXid, 31);
  card_->uncorrected = 2;
  const CardErrors errors = Between(before, Reports());
  EXPECT_EQ(errors.xids, std::vector<int>{31});
  EXPECT_EQ(errors.uncorrected, 2U);
}

TEST_F(CardLaneTest, ACardThatFailedIsTakenOutOfUseWithItsHostsAndComesBackByItself) {
  lane_->Refill();
  Settle();
  const std::size_t ready = hosts_.made.size();
  EXPECT_GT(ready, 0U);
  std::vector<std::string> told;
  lane_->WatchHealth([&told](const std::string& illness) { told.push_back(illness); });
  nvml_.Report(*card_, kNvmlXid, 94);
  const CardReports reports = Reports();
  lane_->Condemn("the card reported Xid 94", reports);
  EXPECT_EQ(lane_->Illness(), "the card reported Xid 94");
  bool placed = false;
  const auto evaluation = [&]() -> Awaitable<void> {
    const auto place = co_await lane_->Acquire();
    placed = true;
  };
  Spawn(io_.get_executor(), evaluation());
  Settle();
  EXPECT_FALSE(placed);
  io_.restart();
  while (!placed) io_.run_one();
  EXPECT_EQ(told, (std::vector<std::string>{"the card reported Xid 94", ""}));
  EXPECT_GT(hosts_.made.size(), ready) << "a new host, and no use of those from before";
  EXPECT_TRUE(hosts_.AllEnded(ready));

  lane_->Condemn("the card reported Xid 94", reports);
  EXPECT_EQ(lane_->Illness(), "") << "a neighbour that ran meanwhile brings it again: it is dealt with";
  nvml_.Report(*card_, kNvmlXid, 31);
  lane_->Condemn("the card reported Xid 94", Reports());
  EXPECT_EQ(lane_->Illness(), "") << "what came since is a program's";
  nvml_.Report(*card_, kNvmlXid, 94);
  lane_->Condemn("the card reported Xid 94", Reports());
  EXPECT_NE(lane_->Illness(), "");
}

TEST(LaneHealth, OneFailureOfTheCardItselfIsEnough) {
  LaneHealth health;
  EXPECT_TRUE(health.Broke("Xid 79"));
  EXPECT_TRUE(health.ill());
  EXPECT_FALSE(health.Broke("Xid 48")) << "it was known";
  EXPECT_EQ(health.reason(), "Xid 48");
  EXPECT_EQ(health.NextTry(), 1s);
  EXPECT_FALSE(health.Failed("no host"));
  EXPECT_TRUE(health.Worked());
}

TEST(LaneHealth, TriesAtGrowingDistancesUpToAMinute) {
  LaneHealth health;
  for (int i = 0; i < 3; ++i) health.Failed("broken");
  EXPECT_TRUE(health.ill());
  EXPECT_EQ(health.NextTry(), 1s);
  EXPECT_EQ(health.NextTry(), 2s);
  for (int i = 0; i < 20; ++i) health.NextTry();
  EXPECT_EQ(health.NextTry(), 60s);
  EXPECT_TRUE(health.Worked());
  EXPECT_FALSE(health.Worked());
}

}  // namespace
}  // namespace kgym::judge
