#include "learn/kl_controller.h"

#include <gtest/gtest.h>

#include <cmath>

namespace kgym::learn {
namespace {

TEST(KlController, MovesTowardsItsTargetAtABoundedRate) {
  KlController controller = KlController::Adaptive(0.1, 6.0, 1000).value();
  ASSERT_TRUE(controller.Update(60, 100).ok());  // Error 9, clipped to 0.2.
  EXPECT_DOUBLE_EQ(controller.coefficient(), 0.1 * (1 + 0.2 * 100 / 1000));
  ASSERT_TRUE(controller.Update(5.4, 100).ok());
  EXPECT_DOUBLE_EQ(controller.coefficient(), 0.1 * 1.02 * (1 - 0.1 * 100 / 1000));
}

TEST(KlController, NeverTurnsThePenaltyIntoAReward) {
  KlController controller = KlController::Adaptive(0.1, 6.0, 10).value();
  ASSERT_TRUE(controller.Update(0, 1000).ok());
  EXPECT_EQ(controller.coefficient(), 0);
}

TEST(KlController, WhatIsNotFiniteChangesNothing) {
  KlController controller = KlController::Adaptive(0.1, 6.0, 10).value();
  EXPECT_FALSE(controller.Update(std::nan(""), 1).ok());
  EXPECT_EQ(controller.coefficient(), 0.1);
  EXPECT_FALSE(KlController::Adaptive(0.1, 0, 10).ok());
}

TEST(KlController, ResumesWhereItWas) {
  KlController controller = KlController::Adaptive(0.1, 6.0, 1000).value();
  controller.Update(7, 50).value();
  KlController resumed = KlController::FromState(controller.State()).value();
  controller.Update(3, 50).value();
  resumed.Update(3, 50).value();
  EXPECT_EQ(resumed.coefficient(), controller.coefficient());
  EXPECT_EQ(KlController::FromState(KlController::Fixed(0.5).State())->coefficient(), 0.5);
}

}  // namespace
}  // namespace kgym::learn
