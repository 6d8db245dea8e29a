#include "base/result.h"

#include <cerrno>
#include <system_error>

namespace kgym {

Error SystemError(std::string_view what) {
  const int code = errno;
  return Error{std::string(what) + ": " + std::generic_category().message(code)};
}

Error Within(std::string_view context, Error error) { return Error{std::string(context) + ": " + error.message}; }

}  // namespace kgym
