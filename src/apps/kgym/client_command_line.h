// The commands that ask a server, on the command line.
//
// Threads: main.
#pragma once

#include <CLI/CLI.hpp>

#include "apps/kgym/client_options.h"

namespace kgym::app {

struct ClientCommands {
  SubmitOptions submit;
  StatusOptions status;
  WaitOptions wait;
  CancelOptions cancel;
  TopOptions top;
};

/// `commands` must outlive the parsing.
void AddClientCommands(CLI::App& app, ClientCommands& commands);

}  // namespace kgym::app
