// `kgym serve`, whole: HTTP, queue, and the lanes of this machine, in one process.
//
// HTTP runs on the calling thread, lanes and judges on a second, the queue on its own. It answers at once; lanes get
// ready behind it. SIGINT or SIGTERM drains: nothing new is taken, what runs ends or is handed back, waiting clients
// get their answers. A second signal ends the process at once, which loses nothing that was accepted.
//
// Threads: called once, from main.
#pragma once

#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "base/result.h"
#include "judge/judge_config.h"
#include "judge/suite.h"
#include "service/http/route.h"
#include "service/http/server.h"
#include "service/queue/bounds.h"
#include "service/queue/queue.h"
#include "service/schedule/labels.h"

namespace kgym::service {

struct Api;

struct ServeOptions {
  std::string host = "127.0.0.1";
  std::uint16_t port = 8700;
  bool no_auth = false;          // Of use on loopback only, and refused elsewhere.
  std::filesystem::path tokens;  // File of tokens; empty: one token that may do everything, kept in `data`.
  std::string name;  // Of its worker; empty: "local", or where servers share a queue one of its own (worker_name.h).
  std::filesystem::path data;              // Folder of the token and the queue; made where it is not there.
  std::string queue;                       // "redis://..."; empty: the embedded one, in `data`.
  std::vector<judge::JudgeConfig> judges;  // One a device. The first is what submissions are read against.
  int slots = 0;                           // Evaluations that a judge is given at once; 0: as suits the device.
  bool lanes = true;                       // False: workers elsewhere do all the work.
  Labels labels;                           // That each lane has besides its own.
  int fake_lanes = 0;                      // Above 0: these in place of the judges.
  Duration fake_hold = 50ms;
  Duration fake_wedge = {};  // After how long, on average, one of these falls ill for a second; 0: never.
  judge::SuiteKind suite = judge::SuiteKind::kBuiltIn;
  std::filesystem::path root;  // Of the suite.
  Bounds bounds;
  Retention retention;
  std::int64_t builds_bytes = std::int64_t{4} << 30;  // What is kept in `data` of workers' builds; 0: nothing.
  http::Limits limits;
  Duration drain = 30s;  // How long what runs may go on after the first signal.
  std::string version;

  /// Adds the routes of another API over ours; what it returns lives as long as they do.
  std::function<std::shared_ptr<void>(http::Routes&, Api&)> more_routes;
};

/// What somebody who wants to call it must know.
struct Serving {
  std::string url;
  std::string token;  // Empty where there is no auth, or where the tokens are in a file.
  std::filesystem::path token_file;
  std::string queue;  // Where it is, for people.
  std::size_t problems = 0;
};

/// Serves until a signal. `begun` is called once it can be called. An error says why it could not start.
Status Serve(ServeOptions options, std::function<void(const Serving&)> begun);

}  // namespace kgym::service
