#include "gym/expression.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "gym/reward.h"

namespace kgym::gym {
namespace {

using testing::HasSubstr;

const std::vector<std::string> kNames = {"speedup", "correct"};

double Value(std::string_view text, double speedup = 2, double correct = 1) {
  return Expression::Compile(text, kNames)->Evaluate(std::vector<double>{speedup, correct}).value();
}

std::string Fault(std::string_view text) { return Expression::Compile(text, kNames).error().message; }

TEST(Expression, FollowsTheUsualPrecedence) {
  EXPECT_EQ(Value("1 + 2 * 3"), 7);
  EXPECT_EQ(Value("(1 + 2) * 3"), 9);
  EXPECT_EQ(Value("8 - 4 - 2"), 2);
  EXPECT_EQ(Value("8 / 4 / 2"), 1);
  EXPECT_EQ(Value("-2 * -3"), 6);
  EXPECT_EQ(Value("--2 - -+1"), 3);
  EXPECT_EQ(Value("1 + 1 < 3 and 2 * 2 == 4"), 1);
  EXPECT_EQ(Value("not 1 < 2 or 0"), 0);
  EXPECT_EQ(Value("not not 5"), 1);
  EXPECT_EQ(Value("1e-3 * .5"), 0.0005);
}

TEST(Expression, ComparesAndChooses) {
  EXPECT_EQ(Value("if(speedup >= 2, 10, 20)"), 10);
  EXPECT_EQ(Value("if(speedup > 2, 10, 20)"), 20);
  EXPECT_EQ(Value("min(3, speedup, 9)"), 2);
  EXPECT_EQ(Value("max(3, speedup)"), 3);
  EXPECT_EQ(Value("clip(speedup, 0, 1.5)"), 1.5);
  EXPECT_EQ(Value("log2(8) + sqrt(abs(-9)) + exp(log(4))"), 10);
  EXPECT_EQ(Value("(speedup != 2) + (speedup <= 2)"), 1);
}

TEST(Expression, EvaluatesOnlyWhatItNeeds) {
  EXPECT_EQ(Value("if(speedup > 0, 1 / speedup, 0)", 0), 0);
  EXPECT_EQ(Value("speedup > 0 and 1 / speedup > 0.1", 0), 0);
}

TEST(Expression, AResultThatIsNotFiniteIsAnError) {
  const Expression division = Expression::Compile("1 / speedup", kNames).value();
  EXPECT_THAT(division.Evaluate(std::vector<double>{0, 1}).error().message, HasSubstr("'1 / speedup' gives inf"));
}

TEST(Expression, FaultsNameTheColumnAndTheNearestName) {
  EXPECT_EQ(Fault("1 + spedup"), "expression, column 5: unknown name 'spedup' (did you mean 'speedup'?)");
  EXPECT_THAT(Fault("mim(1, 2)"), HasSubstr("did you mean 'min'?"));
  EXPECT_THAT(Fault("1 +"), HasSubstr("column 4: a number, a name or '(' is expected, but the text ends"));
  EXPECT_THAT(Fault("1 2"), HasSubstr("column 3: '2' is not expected here"));
  EXPECT_THAT(Fault("(1"), HasSubstr("')' is expected"));
  EXPECT_THAT(Fault("clip(1, 2)"), HasSubstr("clip takes 3 arguments, not 2"));
  EXPECT_THAT(Fault("min"), HasSubstr("'(' is expected after min"));
  EXPECT_THAT(Fault(""), HasSubstr("column 1"));
  EXPECT_THAT(Fault("1 ? 2"), HasSubstr("column 3"));
  EXPECT_THAT(Fault("inf"), HasSubstr("unknown name"));
  EXPECT_THAT(Fault("1e999"), HasSubstr("column 1"));
}

TEST(Expression, DepthAndLengthAreBounded) {
  EXPECT_THAT(Fault(std::string(2000, '(')), HasSubstr("nested more than 64 deep"));
  EXPECT_THAT(Fault(std::string(5000, '1')), HasSubstr("longer than 4096"));
  std::string chain = "1";
  for (int i = 1; i < 2000; ++i) chain += "+1";
  EXPECT_EQ(Value(chain), 2000);
}

TEST(Expression, WordsEndWhereTheyEnd) {
  const std::vector<std::string> names = {"order", "notable"};
  const Expression sum = Expression::Compile("order + notable", names).value();
  EXPECT_EQ(sum.Evaluate(std::vector<double>{1, 2}).value(), 3);
}

TEST(RewardFunction, AWrongExpressionIsFoundWhenItIsMade) {
  RewardConfig config{.preset = RewardPreset::kExpression, .expression = "corect"};
  EXPECT_THAT(RewardFunction::Create(config).error().message, HasSubstr("did you mean 'correct'?"));
}

TEST(RewardFunction, EveryFactHasAName) {
  EXPECT_EQ(FactValues(RewardFacts{}).size(), FactNames().size());
  RewardFacts facts{.outcome = OutcomeKind::kOk, .correct = true, .speedup = 1.5, .turn = 3};
  RewardConfig config{.preset = RewardPreset::kExpression, .expression = "100 * turn + 10 * speedup_low + tests_share"};
  EXPECT_EQ(RewardFunction::Create(config).value()(facts).value()->total, 316);
}

}  // namespace
}  // namespace kgym::gym
