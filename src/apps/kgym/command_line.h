// The command line, read. CLI11 is known to command_line.cc and client_command_line.cc only.
//
// Threads: main.
#pragma once

#include <optional>

#include "apps/kgym/options.h"

namespace kgym::app {

struct CommandLine {
  std::optional<Command>
      command;  // What to do; where there is nothing, all has been said and `exit_code` is the program's.
  int exit_code = 0;
};

CommandLine ReadCommandLine(int argc, char** argv);

}  // namespace kgym::app
