#include "service/http/site.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "service/http/coding.h"
#include "service/http/schema.h"
#include "service/http/target.h"

namespace kgym::http {
namespace {

constexpr std::size_t kWorthCompressing = 1024;

std::string PathOf(std::string_view target) { return std::string(target.substr(0, target.find('?'))); }

Refusal Unfit(const std::vector<Misfit>& misfits) {
  Refusal refusal{422, "invalid", misfits.front().detail};
  if (misfits.size() > 1) refusal.detail += Concat(" (and ", misfits.size() - 1, " more)");
  refusal.more["errors"] = Json::array();
  for (const Misfit& misfit : misfits)
    refusal.more["errors"].push_back({{"pointer", misfit.pointer}, {"detail", ToUtf8(misfit.detail)}});
  return refusal;
}

std::vector<Misfit> CheckParameters(const Request& request) {
  std::vector<Misfit> misfits;
  const auto add = [&](std::vector<Misfit> more) { misfits.insert(misfits.end(), more.begin(), more.end()); };
  for (const Parameter& one : request.route->in_path)
    add(CheckParameter(one.name, request.in_path.at(one.name), one.schema));
  std::vector<std::string> known;
  for (const Parameter& one : request.route->query) {
    known.push_back(one.name);
    if (const auto found = request.query.find(one.name); found != request.query.end())
      add(CheckParameter(one.name, found->second, one.schema));
  }
  for (const auto& [name, value] : request.query) {
    if (request.route->any_query) break;
    if (std::ranges::find(known, name) != known.end()) continue;
    misfits.push_back({"", Concat("unknown parameter '", TruncateUtf8(name, 80), "'", DidYouMean(name, known),
                                  known.empty() ? "; none is expected" : "; known: " + Join(known, ", "))});
  }
  return misfits;
}

bool IsType(std::string_view type, std::string_view wanted) {
  return SameWord(Trim(type.substr(0, type.find(';'))), wanted);
}

/// What is wrong with the kind of body that is coming.
std::optional<Refusal> ConsiderBody(const Request& request) {
  const bool raw = !request.route->body_type.empty();
  if (request.route->body.is_null() && !raw) return std::nullopt;
  const std::string_view type = request.headers.Get("Content-Type"), coding = request.headers.Get("Content-Encoding");
  const std::string_view wanted = raw ? std::string_view(request.route->body_type) : "application/json";
  if (request.has_body && !IsType(type, wanted)) {
    return Refusal{415, "media-type",
                   Concat("header 'Content-Type': '", type.substr(0, 80), "' found; ", wanted, " is expected")};
  }
  const std::optional<Coding> known = ParseCoding(coding);
  if (known && (!raw || *known == Coding::kIdentity)) return std::nullopt;
  Refusal refusal{415, "content-coding",
                  Concat("header 'Content-Encoding': '", coding.substr(0, 80), "' found; ",
                         raw ? "none" : "gzip, zstd or none", " is expected")};
  refusal.headers.push_back({"Accept-Encoding", raw ? "identity" : "gzip, zstd"});
  return refusal;
}

/// Makes the answer shorter where that is worth it and the client can read it.
void Compress(const Request& request, Response& response) {
  if (response.stream || response.body.size() < kWorthCompressing) return;
  response.headers.push_back({"Vary", "Accept-Encoding"});
  const Coding coding = BestCoding(request.headers.Get("Accept-Encoding"));
  if (coding == Coding::kIdentity || response.content_type == "application/octet-stream") return;
  response.body = Encode(coding, response.body);
  response.headers.push_back({"Content-Encoding", std::string(Name(coding))});
}

Response Worded(const Request& request, const Refusal& refusal) {
  const bool own = request.route != nullptr && request.route->refuse;
  return own ? request.route->refuse(refusal) : ToResponse(refusal, request.target);
}

}  // namespace

std::variant<std::monostate, Response, Refusal> Site::Consider(Request& request) {
  Result<Target> target = ParseTarget(request.target);
  if (!target.ok()) return Refusal{400, "bad-target", target.error().message};
  request.path = PathOf(request.target);
  request.query = std::move(target->query);
  std::optional<Routes::Found> found = routes_.Find(request.method, target->segments);
  if (!found) {
    const std::string nearest = routes_.Nearest(request.path);
    return Refusal{404, "not-found",
                   Concat("nothing is at '", TruncateUtf8(request.path, 120), "'",
                          nearest.empty() ? "" : Concat(" (did you mean '", nearest, "'?)")),
                   "/openapi.json lists all there is"};
  }
  if (request.method == "OPTIONS") {
    Response response;
    response.status = 204;
    response.headers.push_back({"Allow", Join(found->allowed, ", ")});
    return response;
  }
  if (found->route == nullptr) {
    Refusal refusal{405, "method-not-allowed",
                    Concat("'", request.path, "' has no ", TruncateUtf8(request.method, 20), "; ",
                           Join(found->allowed, ", "), " are expected")};
    refusal.headers.push_back({"Allow", Join(found->allowed, ", ")});
    return refusal;
  }
  request.route = found->route;
  request.in_path = std::move(found->in_path);
  request.body_limit = found->route->body_limit;
  auto who = access_.Check(request, found->route->scope);
  if (auto* refusal = std::get_if<Refusal>(&who)) return std::move(*refusal);
  request.principal = std::get<const Principal*>(who);
  if (const std::vector<Misfit> misfits = CheckParameters(request); !misfits.empty()) return Unfit(misfits);
  if (std::optional<Refusal> refusal = ConsiderBody(request)) return *std::move(refusal);
  return {};
}

std::optional<Response> Site::Admit(Request& request) {
  const Instant start = clock_.Now();
  auto judged = Consider(request);
  if (std::holds_alternative<std::monostate>(judged)) return std::nullopt;
  if (auto* response = std::get_if<Response>(&judged)) return Counted(request, std::move(*response), start);
  return Counted(request, Worded(request, std::get<Refusal>(judged)), start);
}

std::optional<Refusal> Site::ReadBody(Request& request) const {
  const Json& schema = request.route->body;
  if (schema.is_null()) return std::nullopt;
  const Coding coding = ParseCoding(request.headers.Get("Content-Encoding")).value_or(Coding::kIdentity);
  if (coding != Coding::kIdentity) {
    auto decoded = Decode(coding, request.body, request.body_limit);
    if (!decoded.ok()) return Refusal{400, "content-coding", decoded.error().message};
    if (std::holds_alternative<TooLarge>(*decoded))
      return Refusal{413, "too-large",
                     Concat("the decoded body is longer than ", FormatBytes(request.body_limit), ", which is all that ",
                            request.route->path, " takes")};
    request.body = std::get<std::string>(*std::move(decoded));
  }
  Result<Json> json = ParseJson(request.body, "body");
  if (!json.ok()) return Refusal{400, "malformed-json", json.error().message, "send one JSON object, in UTF-8"};
  request.json = *std::move(json);
  const std::vector<Misfit> misfits = CheckSchema(request.json, schema, routes_.schemas());
  if (!misfits.empty()) return Unfit(misfits);
  return std::nullopt;
}

Awaitable<Response> Site::Call(Request& request) {
  if (std::optional<Refusal> refusal = ReadBody(request)) co_return Worded(request, *refusal);
  std::string failure;
  try {
    co_return co_await request.route->handler(request);
  } catch (const Json::exception& error) {
    failure =
        error.what();  // A handler read a field that its schema does not vouch for: our bug, and one answer's only.
  }
  LogError(Concat(request.method, " ", request.path, ": ", failure));
  co_return Worded(request, {500, "internal", "the server has a bug here: " + failure});
}

Awaitable<Response> Site::Respond(Request& request) {
  const Instant start = clock_.Now();
  Response response = co_await Call(request);
  Compress(request, response);
  co_return Counted(request, std::move(response), start);
}

Response Site::Counted(const Request& request, Response response, Instant start) {
  const std::string path = request.route != nullptr ? request.route->path : "";
  const std::string method = request.route != nullptr ? request.method : "";
  RouteMeter& meter = meters_[{path, method, response.status}];
  const double seconds = ToSeconds(clock_.Now() - start);
  meter.count += 1;
  meter.seconds += seconds;
  const auto bound = std::ranges::lower_bound(RouteMeter::kBounds, seconds);
  if (bound != RouteMeter::kBounds.end())
    meter.at_most[static_cast<std::size_t>(bound - RouteMeter::kBounds.begin())] += 1;
  return response;
}

}  // namespace kgym::http
