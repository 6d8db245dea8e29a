#include "service/http/access.h"

#include <algorithm>
#include <array>

#include "base/files.h"
#include "base/hash.h"
#include "base/text.h"

namespace kgym::http {
namespace {

constexpr std::string_view kBearer = "bearer ";
constexpr std::size_t kShortestToken = 16;

Refusal Unauthorized(std::string detail, std::string_view challenge) {
  Refusal refusal{401, "unauthorized", std::move(detail), "send the header `Authorization: Bearer TOKEN`"};
  refusal.headers.push_back({"WWW-Authenticate", std::string(challenge)});
  return refusal;
}

/// The host of "host:port" or of "http://host:port".
std::string_view HostOf(std::string_view text) {
  if (const std::size_t scheme = text.find("://"); scheme != std::string_view::npos) text.remove_prefix(scheme + 3);
  if (text.starts_with('[')) return text.substr(0, std::min(text.size(), text.find(']') + 1));
  return text.substr(0, text.find(':'));
}

bool IsLoopbackName(std::string_view host) {
  return SameWord(host, "localhost") || host == "[::1]" || host.starts_with("127.");
}

Result<TokenSpec> ReadToken(const Json& entry) {
  if (!entry.is_object()) return Error{"an object with name, token and scopes is expected"};
  for (const auto& [key, unused] : entry.items()) {
    static const std::vector<std::string> kKnown = {"name", "token", "scopes", "per_second", "burst"};
    if (std::ranges::find(kKnown, key) == kKnown.end())
      return Error{Concat("unknown field '", key, "'", DidYouMean(key, kKnown), "; known: ", Join(kKnown, ", "))};
  }
  TokenSpec spec;
  KGYM_TRY(spec.principal.name, GetString(entry, "name"));
  KGYM_TRY(spec.token, GetString(entry, "token"));
  KGYM_TRY(spec.per_second, GetDoubleOr(entry, "per_second", 0));
  KGYM_TRY(spec.burst, GetDoubleOr(entry, "burst", 0));
  KGYM_TRY(const Json* scopes, GetArray(entry, "scopes"));
  if (spec.token.size() < kShortestToken)
    return Error{Concat("field 'token': ", spec.token.size(), " characters found; at least ", kShortestToken,
                        " are expected, such as `openssl rand -hex 16` prints")};
  if (spec.per_second < 0 || spec.burst < 0)
    return Error{"field 'per_second' or 'burst': a number of at least 0 is expected"};
  for (const Json& scope : *scopes) {
    const std::string name = scope.is_string() ? scope.get<std::string>() : DumpJson(scope);
    if (name == "read") spec.principal.read = true;
    if (name == "submit") spec.principal.submit = true;
    if (name == "work") spec.principal.work = true;
    if (name == "admin") spec.principal.admin = true;
    if (name != "read" && name != "submit" && name != "work" && name != "admin")
      return Error{Concat("field 'scopes': '", name, "' found; submit, read, work or admin is expected")};
  }
  return spec;
}

}  // namespace

std::string_view Name(Scope scope) {
  constexpr std::array<std::string_view, 5> kNames = {"none", "read", "submit", "work", "admin"};
  return kNames[static_cast<std::size_t>(scope)];
}

bool Principal::May(Scope scope) const {
  if (scope == Scope::kNone || admin) return true;
  if (scope == Scope::kWork) return work;
  return scope == Scope::kRead ? read : scope == Scope::kSubmit && submit;
}

void Access::Add(TokenSpec spec) {
  auto holder = std::make_unique<Holder>();
  holder->principal = std::move(spec.principal);
  if (spec.per_second > 0) {
    const double burst = spec.burst > 0 ? spec.burst : 2 * spec.per_second;
    holder->bucket.emplace(spec.per_second, std::max(1.0, burst), clock_.Now());
  }
  by_hash_[Sha256Hex(spec.token)] = std::move(holder);
}

void Access::Open() { open_ = true; }

std::optional<Refusal> Access::Foreign(const Request& request) const {
  const std::string_view host = request.headers.Get("Host"), origin = request.headers.Get("Origin");
  if (!host.empty() && !IsLoopbackName(HostOf(host)))
    return Refusal{
        421, "foreign-host",
        Concat("header 'Host': '", host.substr(0, 80), "' found; without tokens a loopback name is expected"),
        "ask for http://127.0.0.1, or start the server with tokens"};
  if (!origin.empty() && !origin.ends_with("://" + std::string(host)))
    return Refusal{403, "foreign-origin",
                   Concat("header 'Origin': '", origin.substr(0, 80),
                          "' found; without tokens only the server's own page may ask"),
                   "start the server with tokens"};
  return std::nullopt;
}

std::variant<const Principal*, Refusal> Access::Check(const Request& request, Scope scope) {
  if (open_) {
    if (std::optional<Refusal> foreign = Foreign(request)) return *std::move(foreign);
    return &everybody_;
  }
  if (scope == Scope::kNone) return static_cast<const Principal*>(nullptr);
  const std::string_view header = request.headers.Get("Authorization");
  if (header.empty()) return Unauthorized("no token was sent", "Bearer realm=\"kgym\"");
  if (!SameWord(header.substr(0, kBearer.size()), kBearer))
    return Unauthorized("header 'Authorization': another scheme than Bearer found", "Bearer realm=\"kgym\"");
  const auto found = by_hash_.find(Sha256Hex(Trim(header.substr(kBearer.size()))));
  if (found == by_hash_.end())
    return Unauthorized("the token is not known here", "Bearer realm=\"kgym\", error=\"invalid_token\"");
  Holder& holder = *found->second;
  if (!holder.principal.May(scope)) {
    Refusal refusal{403, "forbidden",
                    Concat("token '", holder.principal.name, "' lacks the scope '", Name(scope), "', which this needs"),
                    "use a token that has it"};
    refusal.headers.push_back(
        {"WWW-Authenticate",
         Concat("Bearer realm=\"kgym\", error=\"insufficient_scope\", scope=\"", Name(scope), "\"")});
    return refusal;
  }
  if (!holder.bucket) return &holder.principal;
  const std::optional<Duration> wait = holder.bucket->Take(clock_.Now());
  if (!wait) return &holder.principal;
  return RetryLater(429, "rate-limited", Concat("token '", holder.principal.name, "' asks more often than it may"),
                    *wait);
}

Result<std::vector<TokenSpec>> ReadTokens(const std::filesystem::path& file) {
  KGYM_TRY(const std::string text, ReadFile(file, std::size_t{1} << 20));
  KGYM_TRY(const Json json, ParseJson(text, file.string()));
  if (!json.is_array()) return Error{file.string() + ": a JSON list of tokens is expected"};
  std::vector<TokenSpec> specs;
  for (std::size_t i = 0; i < json.size(); ++i) {
    Result<TokenSpec> spec = ReadToken(json[i]);
    if (!spec.ok()) return Within(Concat(file.string(), ": entry ", i), spec.error());
    specs.push_back(std::move(*spec));
  }
  if (specs.empty()) return Error{file.string() + ": no token in it; at least one is expected"};
  return specs;
}

}  // namespace kgym::http
