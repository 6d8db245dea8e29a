#include "judge/claims.h"

#include <gtest/gtest.h>

#include <random>

#include "judge/mismatch.h"
#include "judge/own_work.h"
#include "judge/ruling.h"

namespace kgym::judge {
namespace {

/// JSON of any shape whose keys are those that the judge reads.
Json Anything(std::mt19937& generator, int depth = 0) {
  static const char* const kKeys[] = {"ok",        "nonce",   "kind",     "message",      "traceback", "outputs",
                                      "own_work",  "kernels", "launches", "operators",    "inside",    "unseen",
                                      "raised",    "foreign", "own_ns",   "framework_ns", "state",     "changed",
                                      "clock",     "harness", "notes",    "calls_ns",     "emits_ns",  "compile_errors",
                                      "artefacts", "report",  "x"};
  const unsigned pick = static_cast<unsigned>(generator() % (depth < 4 ? 9 : 6));
  switch (pick) {
    case 0:
      return nullptr;
    case 1:
      return generator() % 2 == 0;
    case 2:
      return static_cast<int>(generator());
    case 3:
      return 1e300 * static_cast<double>(generator());
    case 4:
      return std::string(generator() % 5, static_cast<char>(generator()));
    case 5:
      return "aten.mm";
    case 6: {
      Json list = Json::array();
      for (unsigned i = generator() % 4; i > 0; --i) list.push_back(Anything(generator, depth + 1));
      return list;
    }
    default: {
      Json object = Json::object();
      for (unsigned i = generator() % 8; i > 0; --i)
        object[kKeys[generator() % std::size(kKeys)]] = Anything(generator, depth + 1);
      return object;
    }
  }
}

TEST(Claims, NoJsonWhateverMakesADecisionThrow) {
  std::mt19937 generator(5);
  for (int i = 0; i < 20000; ++i) {
    Answer answer;
    answer.body = Anything(generator);
    answer.what = static_cast<Answer::What>(generator() % 5);
    answer.detail = "d";
    RuleOnAnswer(answer, "forward", generator() % 2 == 0);
    RuleOnOwnWork(answer.body, Anything(generator));
    DumpJson(OwnWorkSummary(answer.body));
    ClaimedText(answer.body, "message");
    ClaimedNumber(answer.body, "own_ns");
    ClaimedTrue(answer.body, "ok");
    EXPECT_TRUE(ClaimedObject(answer.body, "changed").is_object());
    EXPECT_TRUE(ClaimedArray(answer.body, "notes").is_array());
  }
}

TEST(Claims, FieldsOfTheRightTypeAreRead) {
  const Json json = {{"text", "t"}, {"number", 2.5}, {"yes", true}, {"list", {1}}};
  EXPECT_EQ(ClaimedText(json, "text"), "t");
  EXPECT_EQ(ClaimedText(json, "number"), "");
  EXPECT_EQ(ClaimedNumber(json, "number"), 2.5);
  EXPECT_TRUE(ClaimedTrue(json, "yes"));
  EXPECT_FALSE(ClaimedTrue(json, "number"));
  EXPECT_EQ(ClaimedArray(json, "list").size(), 1U);
}

}  // namespace
}  // namespace kgym::judge
