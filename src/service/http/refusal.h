// Why a request is refused: an RFC 9457 problem document in the making.
//
// Every error that a client can get is one of these: `type` says which kind, for programs; `detail` is a sentence for a
// person that names the field, the value and what was expected; `next_step` what to do.
//
// Threads: any; a plain value.
#pragma once

#include <string>
#include <vector>

#include "service/http/message.h"

namespace kgym::http {

struct Refusal {
  int status = 400;
  std::string type;  // "not-found"; the document says "urn:kgym:error:not-found".
  std::string detail;
  std::string next_step = {};
  Json more = Json::object();  // Further members, such as "errors".
  std::vector<Header> headers = {};
};

/// `instance`: the target that was asked for.
Response ToResponse(const Refusal& refusal, std::string_view instance);

/// 429 or 503 with Retry-After: whole seconds, at least one.
Refusal RetryLater(int status, std::string type, std::string detail, Duration after);

/// The schema of such a document.
Json RefusalSchema();

inline constexpr const char* kProblemType = "application/problem+json";

}  // namespace kgym::http
