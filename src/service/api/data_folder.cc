#include "service/api/data_folder.h"

#include <cstdlib>

namespace kgym::service {

std::filesystem::path DefaultDataFolder() {
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state != '\0')
    return std::filesystem::path(state) / "kgym";
  const char* home = std::getenv("HOME");
  return std::filesystem::path(home != nullptr && *home != '\0' ? home : "/tmp") / ".local/state/kgym";
}

}  // namespace kgym::service
