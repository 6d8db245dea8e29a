#include "service/http/schema.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::http {
namespace {

using ::testing::HasSubstr;
using ::testing::IsEmpty;
using ::testing::SizeIs;

const Json kNone = Json::object();

std::string First(const Json& value, const Json& schema) {
  const std::vector<Misfit> misfits = CheckSchema(value, schema, kNone);
  return misfits.empty() ? "" : misfits.front().pointer + " " + misfits.front().detail;
}

Json Object(Json properties, Json required = Json::array()) {
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"required", std::move(required)},
          {"additionalProperties", false}};
}

TEST(Schema, NamesFieldValueAndExpectation) {
  const Json schema = Object({{"limit", {{"type", "integer"}, {"minimum", 1}, {"maximum", 9}}}});
  EXPECT_EQ(First({{"limit", 9}}, schema), "");
  EXPECT_EQ(First({{"limit", 10}}, schema), "/limit field 'limit': 10 found; an integer from 1 to 9 is expected");
  EXPECT_EQ(First({{"limit", 1.5}}, schema), "/limit field 'limit': 1.5 found; an integer from 1 to 9 is expected");
  EXPECT_EQ(First({{"limit", true}}, schema), "/limit field 'limit': true found; an integer from 1 to 9 is expected");
  EXPECT_EQ(First(3, schema), " the body: 3 found; an object is expected");
}

TEST(Schema, BoundsAreInclusiveToTheLastBit) {
  EXPECT_EQ(First(0.001, {{"type", "number"}, {"minimum", 0.001}, {"maximum", 0.001}}), "");
}

TEST(Schema, AWholeNumberIsAnInteger) { EXPECT_EQ(First(3.0, {{"type", "integer"}}), ""); }

TEST(Schema, UnknownFieldsGetASuggestion) {
  const Json schema = Object({{"backend", {{"type", "string"}}}});
  EXPECT_EQ(First({{"backned", "cpp"}}, schema),
            "/backned unknown field 'backned' (did you mean 'backend'?); known: backend");
}

TEST(Schema, MissingFieldsSayWhatIsExpected) {
  const Json schema = Object({{"source", {{"type", "string"}, {"minLength", 1}}}}, {"source"});
  EXPECT_EQ(First(Json::object(), schema), " field 'source' is missing; a string of at least 1 characters is expected");
}

TEST(Schema, CountsCharactersNotBytes) {
  const Json schema = {{"type", "string"}, {"maxLength", 3}};
  EXPECT_EQ(First("äöü", schema), "");
  EXPECT_THAT(First("abcd", schema), HasSubstr("at most 3 characters"));
}

TEST(Schema, PatternsAndWords) {
  EXPECT_THAT(First("a b", {{"type", "string"}, {"pattern", "^[a-z]+$"}}), HasSubstr("like ^[a-z]+$"));
  EXPECT_THAT(First("medium", {{"enum", {"low", "high"}}}), HasSubstr("one of low, high"));
}

TEST(Schema, NamesOfFields) {
  const Json schema = {{"type", "object"}, {"propertyNames", {{"type", "string"}, {"maxLength", 3}}}};
  EXPECT_EQ(First({{"abc", 1}}, schema), "");
  EXPECT_THAT(First({{"abcd", 1}}, schema), HasSubstr("\"abcd\" found; a string of at most 3 characters is expected"));
}

TEST(Schema, ListsAndPlaces) {
  const Json schema = {{"type", "array"}, {"maxItems", 2}, {"items", Object({{"a/b", {{"type", "boolean"}}}})}};
  EXPECT_EQ(First({{{"a/b", true}}, {{"a/b", 3}}}, schema), "/1/a~1b field '[1].a/b': 3 found; a boolean is expected");
  EXPECT_THAT(First({Json::object(), Json::object(), Json::object()}, schema), HasSubstr("\"3 items\" found"));
}

TEST(Schema, EitherOfTwoTypes) {
  const Json schema = {{"oneOf", {{{"type", "string"}, {"minLength", 1}}, Object({{"x", {{"type", "number"}}}})}}};
  EXPECT_EQ(First("name", schema), "");
  EXPECT_EQ(First({{"x", 1}}, schema), "");
  EXPECT_THAT(First({{"x", "1"}}, schema), HasSubstr("field 'x'"));
  EXPECT_THAT(First(3, schema), HasSubstr("a string of at least 1 characters or an object is expected"));
}

TEST(Schema, TheFirstRequiredFieldSaysWhichObjectIsMeant) {
  const Json number = {{"type", "number"}};
  const Json schema = {{"oneOf", {Object({{"x", number}, {"y", number}}, {"x", "y"}), Object({{"z", number}}, {"z"})}}};
  EXPECT_EQ(First({{"x", 1}, {"y", 1}}, schema), "");
  EXPECT_EQ(First({{"z", 1}}, schema), "");
  EXPECT_EQ(First({{"z", "1"}}, schema), "/z field 'z': \"1\" found; a number is expected");
  EXPECT_EQ(First({{"z", 1}, {"y", 1}}, schema), "/y unknown field 'y' (did you mean 'z'?); known: z");
  EXPECT_EQ(First({{"y", 1}}, schema), " field 'x' is missing; a number is expected");
  EXPECT_EQ(First(3, schema), " the body: 3 found; an object is expected");
}

TEST(Schema, FollowsReferences) {
  const Json components = {{"Size", {{"type", "integer"}, {"exclusiveMinimum", 0}}}};
  const Json schema = {{"$ref", "#/components/schemas/Size"}};
  EXPECT_THAT(CheckSchema(1, schema, components), IsEmpty());
  EXPECT_THAT(CheckSchema(0, schema, components), SizeIs(1));
}

TEST(Schema, StopsAfterAHandful) {
  Json many = Json::object();
  for (int i = 0; i < 100; ++i) many[std::to_string(i)] = 0;
  EXPECT_THAT(CheckSchema(many, Object(Json::object()), kNone), SizeIs(16));
}

TEST(Parameter, IsReadAsItsType) {
  const Json limit = {{"type", "integer"}, {"minimum", 1}};
  EXPECT_THAT(CheckParameter("limit", "5", limit), IsEmpty());
  for (const char* bad : {"0", "five", "5x", "", "1e999", "nan", "5.5"}) {
    EXPECT_THAT(CheckParameter("limit", bad, limit), SizeIs(1)) << bad;
  }
  EXPECT_EQ(CheckParameter("limit", "x", limit)[0].detail,
            "parameter 'limit': \"x\" found; an integer of at least 1 is expected");
}

}  // namespace
}  // namespace kgym::http
