#include "base/json.h"

#include <gtest/gtest.h>

#include <limits>

namespace kgym {
namespace {

Json Parsed(std::string_view text) { return std::move(ParseJson(text)).value(); }

TEST(Json, KeepsTheOrderOfFields) {
  EXPECT_EQ(DumpJson(Parsed(R"({"z":1,"a":[true,null]})")), R"({"z":1,"a":[true,null]})");
}

TEST(Json, ErrorsCarryLineAndColumn) {
  const Error error = ParseJson("{\n  \"a\": 1,\n  oops\n}", "case.json").error();
  EXPECT_EQ(error.message.substr(0, 15), "case.json:3:3: ") << error.message;
  EXPECT_EQ(error.message.find("exception"), std::string::npos) << error.message;
  EXPECT_FALSE(ParseJson(""));
  EXPECT_FALSE(ParseJson("{} trailing"));
  EXPECT_FALSE(ParseJson("\"\xff\""));
}

TEST(Json, RefusesDeepNesting) {
  EXPECT_TRUE(ParseJson(std::string(100, '[') + std::string(100, ']')));
  EXPECT_EQ(ParseJson(std::string(1'000'000, '[')).error().message, "json:1:129: nested deeper than 128");
  EXPECT_TRUE(ParseJson("\"" + std::string(1000, '[') + "\\\"[\""));
}

std::string ObjectOf(int fields) {
  std::string text = "{";
  for (int i = 0; i < fields; ++i) text += (i > 0 ? ",\"" : "\"") + std::to_string(i) + "\":0";
  return text + "}";
}

TEST(Json, RefusesObjectsThatTakeLongToRead) {
  const std::string most = ObjectOf(1024), one_more = ObjectOf(1025);
  EXPECT_TRUE(ParseJson("[" + most + "," + most + "," + most + "]"));
  EXPECT_TRUE(ParseJson(R"({"a":)" + most + R"(,"b":"::::"})"));
  EXPECT_FALSE(ParseJson(R"([{"a":[]},)" + one_more + "]"));
  EXPECT_EQ(ParseJson("]]" + one_more).error().message, "json:1:8116: an object of more than 1024 fields");
}

TEST(Json, DumpSurvivesAnyBytes) {
  EXPECT_EQ(DumpJson(Json("a\xff")), "\"a\xef\xbf\xbd\"");
  EXPECT_EQ(DumpJson(Json(std::numeric_limits<double>::infinity())), "null");
}

TEST(Json, GettersTakeTheirTypeOnly) {
  const Json json = Parsed(R"({"s":"x","i":-7,"d":2.5,"b":true,"a":[1],"o":{}})");
  EXPECT_EQ(*GetString(json, "s"), "x");
  EXPECT_EQ(*GetInt(json, "i"), -7);
  EXPECT_EQ(*GetDouble(json, "d"), 2.5);
  EXPECT_EQ(*GetDouble(json, "i"), -7.0);
  EXPECT_TRUE(*GetBool(json, "b"));
  EXPECT_EQ((*GetArray(json, "a"))->size(), 1u);
  EXPECT_TRUE((*GetObject(json, "o"))->empty());
  EXPECT_FALSE(GetInt(json, "d"));
  EXPECT_EQ(*GetInt(Parsed(R"({"i":-3.0})"), "i"), -3);
  EXPECT_EQ(*GetInt(Parsed(R"({"i":1e3})"), "i"), 1000);
  EXPECT_FALSE(GetInt(Parsed(R"({"i":1e300})"), "i"));
  EXPECT_FALSE(GetInt(json, "b"));
  EXPECT_FALSE(GetBool(json, "i"));
  EXPECT_FALSE(GetInt(Parsed(R"({"i":18446744073709551615})"), "i"));
}

TEST(Json, ErrorsNameFieldValueAndExpectation) {
  const Json json = Parsed(R"({"pid":"abc"})");
  EXPECT_EQ(GetInt(json, "pid").error().message, "field 'pid': \"abc\" found; an integer is expected");
  EXPECT_EQ(GetInt(json, "tid").error().message, "field 'tid' is missing");
  EXPECT_EQ(GetInt(Json(3), "tid").error().message, "field 'tid': an object is expected around it");
  EXPECT_LT(GetInt(Json{{"x", std::string(5000, 'y')}}, "x").error().message.size(), 200u);
}

TEST(Json, AbsentOrNullGivesTheDefaultButAWrongTypeDoesNot) {
  const Json json = Parsed(R"({"n":null,"s":"x"})");
  EXPECT_EQ(*GetIntOr(json, "n", 4), 4);
  EXPECT_EQ(*GetStringOr(json, "missing", "d"), "d");
  EXPECT_EQ(*GetDoubleOr(json, "missing", 0.5), 0.5);
  EXPECT_TRUE(*GetBoolOr(json, "missing", true));
  EXPECT_FALSE(GetIntOr(json, "s", 4));
}

}  // namespace
}  // namespace kgym
