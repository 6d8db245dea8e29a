#include "judge/sandbox/descriptors.h"

#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <climits>

namespace kgym::judge::sandbox {
namespace {

constexpr const char* kName = "descriptors";

// Kernels before 5.9 have no close_range. There is no end to trust but the limit on the table, so go up to that.
void CloseOneByOne(unsigned first, unsigned last) {
  const long table = sysconf(_SC_OPEN_MAX);
  const unsigned end = std::min<unsigned>(last, table > 0 ? static_cast<unsigned>(table) : 65536u);
  for (unsigned fd = first; fd <= end; ++fd) close(static_cast<int>(fd));
}

void CloseRange(unsigned first, unsigned last) {
  if (first > last) return;
  if (syscall(SYS_close_range, first, last, 0u) != 0) CloseOneByOne(first, last);
}

}  // namespace

Step CloseAllExcept(std::vector<int> keep) {
  std::sort(keep.begin(), keep.end());
  unsigned next = 0;
  for (const int fd : keep) {
    if (fd < 0 || static_cast<unsigned>(fd) < next) continue;
    if (fd > 0) CloseRange(next, static_cast<unsigned>(fd) - 1);
    next = static_cast<unsigned>(fd) + 1;
  }
  CloseRange(next, UINT_MAX);
  return Full(kName);
}

int OpenPidfd(int pid) { return static_cast<int>(syscall(SYS_pidfd_open, pid, 0u)); }

}  // namespace kgym::judge::sandbox
