#include "service/compat/fields.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::service::kernelgym {
namespace {

using testing::HasSubstr;
using Need = Fields::Need;

TEST(Fields, IntegersAreReadAsPydanticDoes) {
  const Json body = {{"a", 300}, {"b", "300"}, {"c", 300.0}, {"d", " 300 "}, {"e", true}, {"f", "3e2"}};
  Fields fields(body);
  for (const char* name : {"a", "b", "c", "d", "f"}) EXPECT_EQ(fields.IntOr(name, 0, 1, 1000), 300) << name;
  EXPECT_EQ(fields.IntOr("e", 0, 0, 1000), 1);
  EXPECT_EQ(fields.IntOr("absent", 7, 1, 2), 7);
  EXPECT_TRUE(fields.ok());
}

TEST(Fields, WhatIsNoIntegerOrOutOfBoundsIsNoted) {
  for (const Json& value : {Json(1.5), Json("x"), Json(""), Json(nullptr), Json::array(), Json(1e300), Json(21),
                            Json(0), Json(std::uint64_t{1} << 63), Json("nan"), Json("5 s")}) {
    const Json body = {{"n", value}};
    Fields fields(body);
    EXPECT_EQ(fields.IntOr("n", 5, 1, 20), 5);
    EXPECT_FALSE(fields.ok()) << value;
    EXPECT_THAT(fields.Faults(), HasSubstr("'n'"));
  }
}

TEST(Fields, BooleansAreReadAsPydanticDoes) {
  for (const Json& value : {Json(true), Json(1), Json(1.0), Json("true"), Json("Yes"), Json("ON"), Json("t")}) {
    const Json body = {{"b", value}};
    EXPECT_TRUE(Fields(body).BoolOr("b", false)) << value;
  }
  for (const Json& value : {Json(false), Json(0), Json("no"), Json("F"), Json("off")}) {
    const Json body = {{"b", value}};
    EXPECT_FALSE(Fields(body).BoolOr("b", true)) << value;
  }
  const Json body = {{"null", nullptr}, {"two", 2}};
  Fields fields(body);
  EXPECT_EQ(fields.Bool("null", Need::kMayBeNull), std::nullopt);
  EXPECT_TRUE(fields.ok());
  EXPECT_TRUE(fields.BoolOr("null", true));  // is_valid: null is a fault in the original too.
  EXPECT_FALSE(fields.ok());
  fields.BoolOr("two", false);
  EXPECT_THAT(fields.Faults(), HasSubstr("'two'"));
}

TEST(Fields, EveryFaultIsNoted) {
  const Json body = {{"text", 5}, {"choice", "urgent"}, {"cases", "x"}};
  Fields fields(body);
  EXPECT_EQ(fields.Text("id", Need::kRequired), std::nullopt);
  EXPECT_EQ(fields.TextOr("text", "other", Need::kNotNull), "other");
  EXPECT_EQ(fields.ChoiceOr("choice", "normal", {"low", "normal", "high"}), "normal");
  EXPECT_TRUE(fields.Structure("cases", {"array"}).is_null());
  for (const char* part : {"Field required", "valid string", "one of low, normal, high", "valid array"})
    EXPECT_THAT(fields.Faults(), HasSubstr(part));
}

TEST(Fields, WhatIsNoObjectHasNoFields) {
  const Json body = Json::array({1});
  Fields fields(body);
  EXPECT_FALSE(fields.ok());
  EXPECT_EQ(fields.IntOr("n", 3, 0, 9), 3);
}

}  // namespace
}  // namespace kgym::service::kernelgym
