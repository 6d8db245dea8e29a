#include "judge/workflow/value_type.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

std::string Fault(const char* type, const char* value) {
  const Status checked = ValueType::Parse(type)->Check(*ParseJson(value), "x");
  return checked.ok() ? "" : checked.error().message;
}

bool Takes(const char* type, const char* other) { return ValueType::Parse(type)->Takes(*ValueType::Parse(other)); }

TEST(ValueType, ReadsWhatItWrites) {
  for (const char* text : {"int", "float", "str", "bool", "bytes", "json", "list[int]", "dict[str, list[float]]",
                           "list[str | None] | None", "dict[str, json] | None"})
    EXPECT_EQ(ValueType::Parse(text)->text(), text);
  EXPECT_EQ(ValueType::Parse(" dict[str,int]|None ").ok(), false) << "as Python writes it";
}

TEST(ValueType, RefusesWhatIsNone) {
  for (const char* text : {"", "integer", "list", "list[", "list[]", "dict[int, int]", "dict[int]", "list[int] x",
                           "None", "list[list[list[list[list[list[list[list[list[list[int]]]]]]]]]]"}) {
    const Result<ValueType> type = ValueType::Parse(text);
    ASSERT_FALSE(type.ok()) << text;
    EXPECT_THAT(type.error().message, HasSubstr("list[T], dict[str, T] or T | None is expected"));
  }
}

TEST(ValueType, ChecksValues) {
  EXPECT_EQ(Fault("int", "3"), "");
  EXPECT_EQ(Fault("int", "3.0"), "x: 3.0 found; int is expected");
  EXPECT_EQ(Fault("int", "true"), "x: true found; int is expected");
  EXPECT_EQ(Fault("float", "3"), "");
  EXPECT_EQ(Fault("float", "null"), "x: null found; float is expected");
  EXPECT_EQ(Fault("float | None", "null"), "");
  EXPECT_EQ(Fault("bool", "0"), "x: 0 found; bool is expected");
  EXPECT_EQ(Fault("bytes", "\"QUI=\""), "");
  EXPECT_NE(Fault("bytes", "\"QUI\""), "");
  EXPECT_NE(Fault("bytes", "\"Q===\""), "");
  EXPECT_NE(Fault("bytes", "\"Q-I=\""), "");
  EXPECT_EQ(Fault("json", "[{\"a\": null}]"), "");
}

TEST(ValueType, NamesThePlace) {
  EXPECT_EQ(Fault("list[dict[str, int]]", R"([{"a": 1}, {"b": 2, "c": "3"}])"), "x[1].c: \"3\" found; int is expected");
  EXPECT_EQ(Fault("list[int]", "{}"), "x: an object of 0 fields found; list[int] is expected");
  const std::string long_text = '"' + std::string(5000, 'a') + '"';
  EXPECT_EQ(Fault("int", long_text.c_str()), "x: a text of 5000 bytes found; int is expected");
}

TEST(ValueType, TakesNarrowerTypes) {
  EXPECT_TRUE(Takes("float", "int"));
  EXPECT_FALSE(Takes("int", "float"));
  EXPECT_TRUE(Takes("list[float]", "list[int]"));
  EXPECT_TRUE(Takes("int | None", "int"));
  EXPECT_FALSE(Takes("int", "int | None"));
  EXPECT_TRUE(Takes("json", "list[bytes] | None"));
  EXPECT_FALSE(Takes("list[int]", "json"));
  EXPECT_FALSE(Takes("str", "bytes"));
}

TEST(TypedFields, CompleteFillsInAndNames) {
  const TypedFields fields =
      *ReadTypedFields({{"seed", "int"}, {"dt", {{"type", "float"}, {"default", 0.5}}}}, "w: input");
  EXPECT_EQ(*Complete(fields, {{"seed", 1}}, "w"), (Json{{"seed", 1}, {"dt", 0.5}}));
  EXPECT_EQ(Complete(fields, Json::object(), "w").error().message, "w: field 'seed' is missing; int is expected");
  EXPECT_THAT(Complete(fields, {{"sed", 1}}, "w").error().message,
              StartsWith("w: unknown field 'sed' (did you mean 'seed'?)"));
  EXPECT_EQ(Complete(fields, {{"seed", "1"}}, "w").error().message, "w: field 'seed': \"1\" found; int is expected");
  EXPECT_EQ(Complete(fields, Json::array(), "w").error().message, "w: a list of 0 found; an object is expected");
}

TEST(TypedFields, AreReadWhole) {
  const auto fault = [](Json fields) { return ReadTypedFields(fields, "f").error().message; };
  EXPECT_THAT(fault({{"Seed", "int"}}), StartsWith("f.Seed: a name of small letters"));
  EXPECT_THAT(fault({{"seed", 3}}), StartsWith("f.seed: 3 found; a type is expected"));
  EXPECT_THAT(fault({{"seed", {{"type", "int"}, {"defalt", 3}}}}), StartsWith("f.seed: unknown key 'defalt'"));
  EXPECT_THAT(fault({{"seed", {{"type", "int"}, {"default", "3"}}}}), StartsWith("f.seed.default: \"3\" found"));
  EXPECT_TRUE(ReadTypedFields(nullptr, "f")->empty());
}

}  // namespace
}  // namespace kgym::judge
