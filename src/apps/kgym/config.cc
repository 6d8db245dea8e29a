// kgym config: every key of the judge's configuration.
#include "base/config.h"
#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/run.h"

namespace kgym::app {

int Run(const ShowConfigOptions& options) {
  Result<judge::JudgeConfig> config = LoadConfig(options.config);
  if (!config.ok()) return Complain(config.error().message, false), kBadInput;
  const ConfigFields fields(*config);
  Print(options.yaml ? fields.ToYaml() : fields.Help());
  return kFine;
}

}  // namespace kgym::app
