// What the server serves: the routes, behind the checks that all of them share.
//
// On the way to a handler: the target, the route (404, 405), the token (401, 403, 429), and only then the body: its
// size (413), type and coding (415), JSON with the place of an error (400), and the route's schema (422). On the way
// back an answer is compressed as the client likes. Every refusal is a problem document.
//
// Threads: the server's executor.
#pragma once

#include <array>
#include <map>
#include <optional>
#include <string>
#include <tuple>
#include <variant>

#include "base/clock.h"
#include "service/http/access.h"
#include "service/http/route.h"

namespace kgym::http {

/// What a server asks of what it serves.
class Application {
 public:
  virtual ~Application() = default;

  /// Called when a request's head is there. An answer refuses it, and its body is not read.
  virtual std::optional<Response> Admit(Request& request) = 0;

  /// Called with the whole request, which lives until the answer was written.
  virtual Awaitable<Response> Respond(Request& request) = 0;
};

/// How often which route gave which status, and how long it took.
struct RouteMeter {
  static constexpr std::array<double, 12> kBounds = {0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025,
                                                     0.05,   0.1,   0.25,   1,     5,    60};
  std::int64_t count = 0;
  double seconds = 0;
  std::array<std::int64_t, kBounds.size()> at_most{};  // Not cumulative.
};

class Site final : public Application {
 public:
  /// `routes`, `access` and `clock` must outlive it.
  Site(const Routes& routes, Access& access, const Clock& clock) : routes_(routes), access_(access), clock_(clock) {}

  std::optional<Response> Admit(Request& request) override;
  Awaitable<Response> Respond(Request& request) override;

  /// By route's path, method and status; "" is the path of requests that found no route.
  using Meters = std::map<std::tuple<std::string, std::string, int>, RouteMeter>;
  const Meters& meters() const { return meters_; }

 private:
  std::variant<std::monostate, Response, Refusal> Consider(Request& request);
  std::optional<Refusal> ReadBody(Request& request) const;
  Awaitable<Response> Call(Request& request);
  Response Counted(const Request& request, Response response, Instant start);

  const Routes& routes_;
  Access& access_;
  const Clock& clock_;
  Meters meters_;
};

}  // namespace kgym::http
