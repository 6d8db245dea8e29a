#include "base/check.h"

#include <unistd.h>

#include <cstdlib>
#include <string>

namespace kgym::internal {

CheckFailure::CheckFailure(const char* expression, const char* file, int line) {
  message_ << file << ':' << line << ": check failed: " << expression << ' ';
}

CheckFailure::~CheckFailure() {
  // write(2) rather than a stream or the log: either may be what is broken.
  const std::string text = message_.str() + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, text.data(), text.size());
  std::abort();
}

}  // namespace kgym::internal
