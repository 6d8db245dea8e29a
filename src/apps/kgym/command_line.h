// The command line, read. The one file that knows CLI11 is command_line.cc.
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
