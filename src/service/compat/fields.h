// Fields of a request, read as leniently as the API that its clients were written against: "300" and 300.0 are the
// integer 300, 1 and "yes" are true; unknown fields are ignored. What cannot be read is noted, all of it, not only the
// first.
//
// Threads: any; one at a time.
#pragma once

#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"

namespace kgym::service::kernelgym {

class Fields {
 public:
  /// `body` must outlive it. What is not an object is noted as such, and every field is then absent.
  explicit Fields(const Json& body, std::string where = "body");

  /// A field that must be there is noted where it is absent or null, and is then `otherwise`.
  enum class Need { kRequired, kNotNull, kMayBeNull };

  std::optional<std::string> Text(std::string_view name, Need need);
  std::string TextOr(std::string_view name, std::string otherwise, Need need);
  std::int64_t IntOr(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most);
  std::optional<bool> Bool(std::string_view name, Need need);
  bool BoolOr(std::string_view name, bool otherwise) { return Bool(name, Need::kNotNull).value_or(otherwise); }
  std::string ChoiceOr(std::string_view name, std::string otherwise, std::initializer_list<std::string_view> choices);
  /// Null where it is absent, null, or of none of the types ("object", "array").
  Json Structure(std::string_view name, std::initializer_list<std::string_view> types);

  /// Something that only a look at the whole shows.
  void Note(std::string_view name, const std::string& message);

  bool ok() const { return faults_.empty(); }
  /// "[{'loc': ('body', 'timeout'), 'msg': 'Input should be ...'}]".
  std::string Faults() const;

 private:
  const Json* Find(std::string_view name, Need need);

  Json none_ = Json::object();
  const Json& body_;
  std::string where_;
  std::vector<std::string> faults_;
};

}  // namespace kgym::service::kernelgym
