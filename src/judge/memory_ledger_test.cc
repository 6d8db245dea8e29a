#include "judge/memory_ledger.h"

#include <gtest/gtest.h>

#include <boost/asio/io_context.hpp>
#include <vector>

namespace kgym::judge {
namespace {

class MemoryLedgerTest : public testing::Test {
 protected:
  void Ask(int who, std::int64_t bytes) { Spawn(io_.get_executor(), Hold(who, bytes)); }
  void Settle() {
    io_.restart();
    io_.poll();
  }

  boost::asio::io_context io_{1};
  MemoryLedger ledger_{io_.get_executor(), 100};
  std::vector<MemoryLedger::Claim> claims_{8};
  std::vector<int> granted_;

 private:
  Awaitable<void> Hold(int who, std::int64_t bytes) {
    claims_[static_cast<std::size_t>(who)] = co_await ledger_.Reserve(bytes);
    granted_.push_back(who);
  }
};

TEST_F(MemoryLedgerTest, GrantsWhatFits) {
  Ask(0, 60);
  Ask(1, 40);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 1}));
  EXPECT_EQ(ledger_.held(), 100);
}

TEST_F(MemoryLedgerTest, ABigClaimIsNotPassedOver) {
  Ask(0, 60);
  Ask(1, 80);
  Ask(2, 10);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0})) << "the third would fit, and waits behind the second";
  claims_[0].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 1, 2}));
}

TEST_F(MemoryLedgerTest, AClaimAboveTheTotalIsGrantedAlone) {
  Ask(0, 10);
  Ask(1, 500);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0}));
  claims_[0].Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 1}));
  claims_[1].Release();
  EXPECT_EQ(ledger_.held(), 0);
}

TEST_F(MemoryLedgerTest, WhatIsTakenAnywayCountsAndStopsNobodyForEver) {
  MemoryLedger::Claim host = ledger_.Taken(70);
  EXPECT_FALSE(ledger_.HasRoom(50));
  Ask(0, 50);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0})) << "the first claim is granted, whatever is taken";
  Ask(1, 20);
  Settle();
  EXPECT_EQ(granted_, (std::vector{0}));
  host.Release();
  Settle();
  EXPECT_EQ(granted_, (std::vector{0, 1}));
  EXPECT_EQ(ledger_.held(), 70);
}

TEST(MemoryLedger, WithoutATotalNothingIsCounted) {
  boost::asio::io_context io(1);
  MemoryLedger ledger(io.get_executor(), 0);
  bool granted = false;
  const auto ask = [&]() -> Awaitable<void> {
    const MemoryLedger::Claim claim = co_await ledger.Reserve(std::int64_t{1} << 40);
    granted = true;
  };
  Spawn(io.get_executor(), ask());
  io.run();
  EXPECT_TRUE(granted);
  EXPECT_EQ(ledger.held(), 0);
}

}  // namespace
}  // namespace kgym::judge
