// Where the service keeps what shall outlive a process, unless it is told another place.
//
// Threads: any.
#pragma once

#include <filesystem>

namespace kgym::service {

/// $XDG_STATE_HOME/kgym or ~/.local/state/kgym.
std::filesystem::path DefaultDataFolder();

}  // namespace kgym::service
