#include "service/queue/roster.h"

#include "base/text.h"

namespace kgym::service {

std::string NameHeld(const std::string& name) {
  return Concat("a worker that lives is named '", name, "'; give this one another name with --name");
}

}  // namespace kgym::service
