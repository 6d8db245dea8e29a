#include "apps/kgym/case_file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/yaml_json.h"

namespace kgym::app {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

const Json kVerdict = {
    {"outcome", "ok"}, {"speedup", 1.5}, {"log", "a\nb"}, {"timing", nullptr}, {"first", {{{"got", "1"}}}}};

std::vector<std::string> DifferencesOf(std::vector<std::string> expect, const char* evidence) {
  Case one;
  one.expect = std::move(expect);
  one.evidence = *YamlToJson(evidence, "test");
  return Differences(one, kVerdict);
}

TEST(Differences, TakesAnyOfTheOutcomes) {
  EXPECT_THAT(DifferencesOf({"fail:nan", "ok"}, "{}"), IsEmpty());
  EXPECT_THAT(DifferencesOf({"fail:nan", "infra"}, "{}"), ElementsAre("expected fail:nan or infra, got ok"));
}

TEST(Differences, MatchesEvidence) {
  EXPECT_THAT(DifferencesOf({"ok"}, "{speedup: 1.5, timing: null, absent.deeper: null, first.0.got: \"1\"}"),
              IsEmpty());
  EXPECT_THAT(DifferencesOf({"ok"}, "{speedup: {min: 1, max: 2}, log: {contains: b}}"), IsEmpty());
  EXPECT_THAT(DifferencesOf({"ok"}, "{speedup: {min: 2}}"), ElementsAre("speedup: expected {\"min\":2}, got 1.5"));
  EXPECT_THAT(DifferencesOf({"ok"}, "{timing: {max: 2}, log: {contains: c}, first.0.got: 1}"), testing::SizeIs(3));
}

TEST(YamlToJson, TellsTextFromOtherThings) {
  const Json json = *YamlToJson("{a: 1, b: '1', c: true, d: 1.5, e: null, f: 2s, g: [x, nan], h: {}}", "test");
  EXPECT_EQ(DumpJson(json), R"({"a":1,"b":"1","c":true,"d":1.5,"e":null,"f":"2s","g":["x","nan"],"h":{}})");
}

TEST(YamlToJson, ErrorsNameTheLine) {
  EXPECT_THAT(YamlToJson("a: 1\na: 2", "f").error().message, HasSubstr("f:2: 'a' is set twice"));
  EXPECT_THAT(YamlToJson("a: [1", "f").error().message, HasSubstr("f:"));
  EXPECT_THAT(YamlToJson("a: &x [*x]", "f").error().message, HasSubstr("nested deeper"));
  EXPECT_THAT(YamlToJson("\xff", "f").error().message, HasSubstr("not UTF-8"));
}

}  // namespace
}  // namespace kgym::app
