// The types of what toolkits and workflows pass on, and whether a value is of one.
//
//   int  float  str  bool  bytes  json  list[T]  dict[str, T]  T | None
//
// As Python writes them. `bytes` travel as base64, `json` is anything, and an int is a float. Values come from hosts
// that ran a submission, so a check believes nothing and is bounded by the value's own size.
//
// Threads: any; plain values.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::judge {

class ValueType {
 public:
  static Result<ValueType> Parse(std::string_view text);

  /// As Parse() reads it.
  std::string text() const;

  /// An error names the place, the value and what is expected: "<where>[3]: \"x\" found; float is expected".
  Status Check(const Json& value, const std::string& where) const;

  /// Whether every value of `other` is one of this type.
  bool Takes(const ValueType& other) const;

  bool is_bool() const { return kind_ == Kind::kBool && !optional_; }
  bool is_number() const { return (kind_ == Kind::kInt || kind_ == Kind::kFloat) && !optional_; }
  bool is_text() const { return kind_ == Kind::kStr && !optional_; }

 private:
  enum class Kind { kInt, kFloat, kStr, kBool, kBytes, kJson, kList, kDict };
  struct Misfit {
    std::string place;  // Below the value that was checked.
    const Json* value;
    const ValueType* expected;
  };
  static std::optional<ValueType> Read(std::string_view text, int depth);
  bool Holds(const Json& value) const;  // What it holds is not looked at.
  std::optional<Misfit> FirstMisfit(const Json& value) const;

  Kind kind_ = Kind::kJson;
  bool optional_ = false;
  std::vector<ValueType> element_;  // One, of a list or a dict.
};

/// A name, its type, and the value where none is given.
struct TypedField {
  std::string name;
  ValueType type;
  std::optional<Json> otherwise = {};
};

using TypedFields = std::vector<TypedField>;

/// {"seed": "int", "dt": {"type": "float", "default": 0.01}}; an error begins with `where`.
Result<TypedFields> ReadTypedFields(const Json& fields, const std::string& where);

/// {"seed": "int", ...}: the same again.
Json ToJson(const TypedFields& fields);

const TypedField* FindField(const TypedFields& fields, std::string_view name);

/// `given` with the defaults of fields that are absent; an error names a field that is unknown, missing or of another
/// type.
Result<Json> Complete(const TypedFields& fields, Json given, const std::string& where);

/// A name of a step, a field, a toolkit, a backend or a workflow: a small letter, then small letters, digits and
/// underscores.
bool IsPlainName(std::string_view name);

}  // namespace kgym::judge
