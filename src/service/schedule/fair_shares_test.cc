#include "service/schedule/fair_shares.h"

#include <gtest/gtest.h>

#include <map>
#include <random>

namespace kgym::service {
namespace {

TEST(FairShares, EqualMembersTakeTurns) {
  FairShares shares;
  for (int i = 0; i < 10; ++i) shares.Enter("a"), shares.Enter("b");
  std::string served;
  for (int i = 0; i < 6; ++i) {
    served += shares.First();
    shares.Charge(shares.First(), 1);
  }
  EXPECT_EQ(served, "ababab");
}

TEST(FairShares, WhatCostsTwiceIsServedHalfAsOften) {
  FairShares shares;
  for (int i = 0; i < 1000; ++i) shares.Enter("cheap"), shares.Enter("dear");
  std::map<std::string, int> served;
  for (int i = 0; i < 300; ++i) {
    const std::string next = shares.First();
    ++served[next];
    shares.Charge(next, next == "dear" ? 2 : 1);
  }
  EXPECT_EQ(served["cheap"], 200);
  EXPECT_EQ(served["dear"], 100);
}

TEST(FairShares, IdlenessEarnsNothing) {
  FairShares shares;
  for (int i = 0; i < 100; ++i) shares.Enter("old");
  for (int i = 0; i < 50; ++i) shares.Charge("old", 1);
  for (int i = 0; i < 100; ++i) shares.Enter("new");
  std::map<std::string, int> served;
  for (int i = 0; i < 20; ++i) {
    const std::string next = shares.First();
    ++served[next];
    shares.Charge(next, 1);
  }
  EXPECT_NEAR(served["old"], 10, 1);
}

TEST(FairShares, ComingBackDoesNotWipeOutWhatWasServed) {
  FairShares shares;
  for (int i = 0; i < 10; ++i) shares.Enter("stays");
  shares.Enter("hops");
  shares.Charge("hops", 5);  // Served much, then gone, then back: it waits until the other has had as much.
  shares.Leave("hops");
  shares.Enter("hops");
  for (int i = 0; i < 5; ++i) {
    EXPECT_EQ(shares.First(), "stays");
    shares.Charge("stays", 1);
  }
  EXPECT_EQ(shares.First(), "hops");
}

TEST(FairShares, CorrectionsMoveTheClockBothWays) {
  FairShares shares;
  for (int i = 0; i < 10; ++i) shares.Enter("a"), shares.Enter("b");
  shares.Charge("a", 1);
  shares.Correct("a", 2);  // It held for 3, so b has 3 of service due.
  for (int i = 0; i < 3; ++i) {
    EXPECT_EQ(shares.First(), "b");
    shares.Charge("b", 1);
  }
  shares.Correct("a", -1);
  EXPECT_EQ(shares.First(), "a");
  shares.Correct("nobody", 5);
  EXPECT_EQ(shares.First(), "a");
}

TEST(FairShares, NobodyWaitingForgetsAll) {
  FairShares shares;
  shares.Enter("a");
  shares.Charge("a", 100);
  shares.Leave("a");
  EXPECT_TRUE(shares.empty());
  EXPECT_EQ(shares.size(), 0u);
}

TEST(FairShares, MembersThatComeAndGoAreForgotten) {
  FairShares shares;
  for (int i = 0; i < 100'000; ++i) shares.Enter("steady");
  for (int i = 0; i < 10'000; ++i) {
    const std::string passing = "run" + std::to_string(i);
    shares.Enter(passing);
    shares.Charge(passing, 1);
    shares.Leave(passing);
    shares.Charge("steady", 1);
  }
  EXPECT_LT(shares.size(), 200u);
}

/// The bound of the header, over random costs, weights, comings and goings.
TEST(FairShares, ServiceOfTwoWhoWaitDiffersByOnePiece) {
  std::mt19937_64 random(1);
  for (int round = 0; round < 20; ++round) {
    FairShares shares;
    const std::map<std::string, double> weights = {{"a", 1}, {"b", 1 + round % 3}, {"c", 0.5}};
    std::map<std::string, double> served, largest;
    for (const auto& [name, weight] : weights) shares.Enter(name);  // Always at least one waits.
    for (int i = 0; i < 2000; ++i) {
      if (random() % 4 == 0) {
        shares.Enter("guest");
        if (random() % 2 == 0) shares.Charge("guest", 0.5);
        shares.Leave("guest");
      }
      const std::string next = shares.First();
      const double weight = weights.at(next);
      const double cost = 0.1 + static_cast<double>(random() % 1000) / 100;
      shares.Charge(next, cost / weight);
      served[next] += cost / weight;
      largest[next] = std::max(largest[next], cost / weight);
      for (const auto& [one, w1] : weights) {
        for (const auto& [two, w2] : weights) {
          EXPECT_LE(served[one] - served[two], largest[one] + largest[two] + 1e-9);
        }
      }
    }
  }
}

}  // namespace
}  // namespace kgym::service
