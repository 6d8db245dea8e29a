// kgym: reads the command line and hands over to a subcommand.
#include <variant>

#include "apps/kgym/command_line.h"
#include "apps/kgym/commands.h"

int main(int argc, char** argv) {
  const kgym::app::CommandLine line = kgym::app::ReadCommandLine(argc, argv);
  if (!line.command) return line.exit_code;
  return std::visit([](const auto& options) { return kgym::app::Run(options); }, *line.command);
}
