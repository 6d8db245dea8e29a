// kgym serve: prints where it can be called, and serves.
#include "service/api/serve.h"

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/exit_code.h"
#include "apps/kgym/lane_options.h"
#include "apps/kgym/run.h"
#include "base/text.h"
#include "service/compat/routes.h"

namespace kgym::app {
namespace {

constexpr const char* kExample = R"({"problem": "level1/relu", "backend": "triton", "source": "..."})";

Result<service::ServeOptions> Read(const ServeOptions& options) {
  service::ServeOptions serve;
  KGYM_TRY(const judge::JudgeConfig config, LoadConfig(options.config));
  KGYM_TRY(serve.judges, JudgesOf(config, options.devices));
  KGYM_TRY(serve.labels, ReadLabels(options.labels));
  if (options.no_lanes && (options.fake_lanes > 0 || !options.devices.empty()))
    return Error{"--no-lanes: it goes with neither --devices nor --fake-lanes; leave one out"};
  serve.lanes = !options.no_lanes;
  serve.name = options.name;
  serve.host = options.host;
  serve.port = static_cast<std::uint16_t>(options.port);
  serve.no_auth = options.no_auth;
  serve.tokens = options.tokens;
  serve.data = options.data;
  serve.queue = options.queue;
  serve.slots = options.slots;
  serve.fake_lanes = options.fake_lanes;
  KGYM_TRY(serve.fake_hold, ReadDuration("--fake-hold", options.fake_hold));
  KGYM_TRY(serve.fake_wedge, ReadDuration("--fake-wedge", options.fake_wedge));
  KGYM_TRY(serve.retention.age, ReadDuration("--keep-for", options.keep_for));
  KGYM_TRY(serve.drain, ReadDuration("--drain", options.drain));
  serve.retention.count = options.keep_most;
  serve.builds_bytes = std::int64_t{options.builds_mb} << 20;
  serve.bounds.queued = options.max_queued;
  serve.limits.connections = static_cast<std::size_t>(options.max_connections);
  serve.suite = options.source.suite;
  serve.root = options.source.root;
  serve.version = KGYM_VERSION;
  serve.more_routes = [](http::Routes& routes, service::Api& api) -> std::shared_ptr<void> {
    return service::kernelgym::AddKernelGymRoutes(routes, api);
  };
  return serve;
}

void Greet(const service::Serving& serving, const ServeOptions& options) {
  if (options.json) {
    return PrintJson({{"url", serving.url},
                      {"token", serving.token.empty() ? Json(nullptr) : Json(serving.token)},
                      {"queue", serving.queue},
                      {"problems", serving.problems}});
  }
  const bool colour = ColourWanted(1);
  std::string text = Concat(Paint("kgym serves on " + serving.url, Colour::kBold, colour), "   queue in ",
                            serving.queue, ", ", serving.problems, " problems; lanes get ready behind it\n");
  if (!serving.token.empty())
    text += Concat("token ", serving.token, "   (kept in ", serving.token_file.string(), ")\n");
  if (serving.token.empty() && !options.no_auth) text += Concat("tokens of ", serving.token_file.string(), "\n");
  if (options.no_auth) text += "no token is asked for\n";
  const std::string bearer =
      options.no_auth ? ""
                      : Concat(" -H 'Authorization: Bearer ", serving.token.empty() ? "TOKEN" : serving.token, "'");
  text += Concat("page  ", serving.url, "/", serving.token.empty() ? "" : "#token=" + serving.token, "\n", "try   curl",
                 bearer, " -H 'Content-Type: application/json' '", serving.url, "/v1/evaluations?wait=60' -d '",
                 kExample, "'\n");
  Print(text);
}

}  // namespace

int Run(const ServeOptions& options) {
  Result<service::ServeOptions> serve = Read(options);
  if (!serve.ok()) return Complain(serve.error().message, options.json), kBadInput;
  const Status served =
      service::Serve(*std::move(serve), [&](const service::Serving& serving) { Greet(serving, options); });
  if (!served.ok()) return Complain(served.error().message, options.json), kBadInput;
  return kFine;
}

}  // namespace kgym::app
