#include "service/http/refusal.h"

#include <algorithm>
#include <cmath>

#include "base/text.h"

namespace kgym::http {

Response ToResponse(const Refusal& refusal, std::string_view instance) {
  Json document = {{"type", "urn:kgym:error:" + refusal.type},
                   {"title", StatusText(refusal.status)},
                   {"status", refusal.status},
                   {"detail", ToUtf8(refusal.detail)},
                   {"instance", ToUtf8(instance.substr(0, 256))}};
  if (!refusal.next_step.empty()) document["next_step"] = refusal.next_step;
  document.update(refusal.more);
  Response response = JsonResponse(document, refusal.status);
  response.content_type = kProblemType;
  response.headers = refusal.headers;
  return response;
}

Refusal RetryLater(int status, std::string type, std::string detail, Duration after) {
  const auto seconds = std::max<std::int64_t>(1, static_cast<std::int64_t>(std::ceil(ToSeconds(after))));
  Refusal refusal{status, std::move(type), std::move(detail), Concat("try again in ", seconds, " s")};
  refusal.headers.push_back({"Retry-After", std::to_string(seconds)});
  return refusal;
}

Json RefusalSchema() {
  return {{"type", "object"},
          {"description", "An RFC 9457 problem document."},
          {"required", {"type", "title", "status", "detail"}},
          {"properties",
           {{"type", {{"type", "string"}, {"description", "Which kind of error: urn:kgym:error:..."}}},
            {"title", {{"type", "string"}}},
            {"status", {{"type", "integer"}}},
            {"detail", {{"type", "string"}, {"description", "A sentence for a person."}}},
            {"instance", {{"type", "string"}, {"description", "The target that was asked for."}}},
            {"next_step", {{"type", "string"}}},
            {"errors",
             {{"type", "array"},
              {"items",
               {{"type", "object"},
                {"properties",
                 {{"pointer", {{"type", "string"}, {"description", "RFC 6901, into the body."}}},
                  {"detail", {{"type", "string"}}}}}}}}}}}};
}

}  // namespace kgym::http
