// kgym worker: joins a queue, says so, and works.
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/exit_code.h"
#include "apps/kgym/lane_options.h"
#include "apps/kgym/run.h"
#include "base/text.h"
#include "service/api/work.h"

namespace kgym::app {
namespace {

Result<service::WorkOptions> Read(const WorkOptions& options) {
  service::WorkOptions work;
  KGYM_TRY(const judge::JudgeConfig config, LoadConfig(options.config));
  KGYM_TRY(work.judges, JudgesOf(config, options.devices));
  KGYM_TRY(work.labels, ReadLabels(options.labels));
  KGYM_TRY(work.fake_hold, ReadDuration("--fake-hold", options.fake_hold));
  KGYM_TRY(work.fake_wedge, ReadDuration("--fake-wedge", options.fake_wedge));
  KGYM_TRY(work.drain, ReadDuration("--drain", options.drain));
  KGYM_TRY(work.lease, ReadDuration("--lease", options.lease));
  if (work.lease < 1s || work.lease > 24h)
    return Error{Concat("--lease: '", options.lease, "'; 1s to 24h is expected")};
  work.join = options.join;
  work.token = options.token;
  work.name = options.name;
  work.slots = options.slots;
  work.fake_lanes = options.fake_lanes;
  work.build_only = options.build_only;
  work.build_arch = options.build_arch;
  if (options.build_only && (options.fake_lanes > 0 || !options.devices.empty()))
    return Error{"--build-only: it goes with neither --devices nor --fake-lanes; leave one out"};
  if (!options.build_only && !options.build_arch.empty())
    return Error{"--build-arch: it is for a worker that only builds; add --build-only"};
  work.version = KGYM_VERSION;
  return work;
}

void Greet(const service::Working& working, const WorkOptions& options) {
  if (options.json) return PrintJson({{"worker", working.name}, {"queue", working.queue}});
  Print(Concat(Paint("kgym works on " + working.queue, Colour::kBold, ColourWanted(1)), "   as ", working.name,
               "; lanes get ready behind it\n"));
}

}  // namespace

int Run(const WorkOptions& options) {
  Result<service::WorkOptions> work = Read(options);
  if (!work.ok()) return Complain(work.error().message, options.json), kBadInput;
  const Status worked =
      service::Work(*std::move(work), [&](const service::Working& working) { Greet(working, options); });
  if (!worked.ok()) return Complain(worked.error().message, options.json), kBadInput;
  return kFine;
}

}  // namespace kgym::app
