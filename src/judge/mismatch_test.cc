#include "judge/mismatch.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

Json Check(const char* kind, Json facts = Json::object(), Json changed = Json::array()) {
  return {{"difference", {{"kind", kind}, {"message", "how wrong"}}},
          {"changed_inputs", std::move(changed)},
          {"facts", std::move(facts)}};
}

Outcome Of(MismatchFacts facts) { return Classify(facts).outcome; }

TEST(IsMismatch, IsADifferenceOrAChangedInput) {
  EXPECT_FALSE(IsMismatch(Check("")));
  EXPECT_TRUE(IsMismatch(Check("numerical")));
  EXPECT_TRUE(IsMismatch(Check("", Json::object(), Json::array({0}))));
}

TEST(Classify, KindsWithoutFurtherFactsAreHonestFailures) {
  EXPECT_EQ(Of({.check = Check("shape")}), Outcome::kFailShape);
  EXPECT_EQ(Of({.check = Check("dtype")}), Outcome::kFailDtype);
  EXPECT_EQ(Of({.check = Check("nan")}), Outcome::kFailNan);
  EXPECT_EQ(Of({.check = Check("numerical")}), Outcome::kFailNumerical);
}

TEST(Classify, EachFactHasItsWord) {
  EXPECT_EQ(Of({.check = Check("", Json::object(), Json::array({1}))}), Outcome::kRejectedInputTamper);
  EXPECT_EQ(Of({.check = Check("numerical"), .right_when_copied_later = true}), Outcome::kRejectedAsyncEscape);
  EXPECT_EQ(Of({.check = Check("numerical", {{"honeypot", true}})}), Outcome::kRejectedOracleLeak);
  EXPECT_EQ(Of({.check = Check("numerical", {{"answer_of_call", 0}})}), Outcome::kRejectedReplayCache);
  EXPECT_EQ(Of({.check = Check("nan", {{"unwritten_share", 0.5}})}), Outcome::kRejectedStaleMemory);
  EXPECT_EQ(Of({.check = Check("numerical", {{"constant", true}})}), Outcome::kRejectedNoWork);
  EXPECT_EQ(Of({.check = Check("numerical", {{"copy_of_input", 0}})}), Outcome::kRejectedNoWork);
  EXPECT_EQ(Of({.check = Check("numerical"), .right_when_called_again = true}), Outcome::kFailNondeterministic);
  EXPECT_EQ(Of({.check = Check("numerical"), .right_for_known_seeds = true}), Outcome::kRejectedTestOverfit);
  EXPECT_EQ(Of({.check = Check("numerical", {{"precision", "float16"}})}), Outcome::kRejectedPrecisionDowngrade);
}

TEST(Classify, FactsThatAreFalseOrNullSayNothing) {
  const Json nothing = {{"honeypot", false}, {"answer_of_call", nullptr}, {"unwritten_share", 0.0},
                        {"constant", false}, {"copy_of_input", nullptr},  {"precision", nullptr}};
  const Ruling ruling = Classify({.check = Check("numerical", nothing)});
  EXPECT_EQ(ruling.outcome, Outcome::kFailNumerical);
  EXPECT_EQ(ruling.evidence.size(), 1U) << "only the stage";
}

TEST(Classify, AFewElementsThatLookUnwrittenAreChance) {
  EXPECT_EQ(Of({.check = Check("numerical", {{"unwritten_share", 0.001}})}), Outcome::kFailNumerical);
}

TEST(Classify, ALateWriterIsNotTakenForStaleMemory) {
  EXPECT_EQ(Of({.check = Check("numerical", {{"unwritten_share", 1.0}}), .right_when_copied_later = true}),
            Outcome::kRejectedAsyncEscape);
}

}  // namespace
}  // namespace kgym::judge
