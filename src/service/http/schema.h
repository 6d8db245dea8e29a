// JSON Schema, as much of it as our requests need: the one text that both checks a body and describes it in the OpenAPI
// document.
//
// Keywords that are checked: type (one or a list), enum, minimum, maximum, exclusiveMinimum, minLength, maxLength (in
// characters), pattern (ECMAScript), properties, required, additionalProperties (false or a schema), propertyNames,
// maxProperties, items, minItems, maxItems, oneOf, and $ref to "#/components/schemas/<name>". Others describe.
//
// The schemas of a oneOf differ in their types or, where they are objects, in the first field that they require: an
// object is checked against the first one whose field it has, or against the first of all.
//
// Threads: any.
#pragma once

#include <string>
#include <vector>

#include "base/json.h"

namespace kgym::http {

/// What does not fit: where (RFC 6901), and a sentence that names the field, the value and what is expected.
struct Misfit {
  std::string pointer;
  std::string detail;
};

/// All that does not fit, up to a handful. `components`: what a $ref names.
std::vector<Misfit> CheckSchema(const Json& value, const Json& schema, const Json& components);

/// A query or path parameter, whose text is read as the type that its schema names.
std::vector<Misfit> CheckParameter(const std::string& name, const std::string& text, const Json& schema);

/// "a string of 1 to 200 characters".
std::string Expectation(const Json& schema, const Json& components);

}  // namespace kgym::http
