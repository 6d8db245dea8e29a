#include "judge/cpu_account.h"

#include <fcntl.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

namespace kgym::judge {
namespace {

constexpr std::size_t kMostCounted = 256;  // Processes of a tree.

std::int64_t ProcessCpuNs(pid_t pid) {
  clockid_t clock{};
  timespec used{};
  if (::clock_getcpuclockid(pid, &clock) != 0 || ::clock_gettime(clock, &used) != 0) return 0;
  return used.tv_sec * std::int64_t{1'000'000'000} + used.tv_nsec;
}

/// CPU time of the ended children that `pid` has waited for, and of those that they had.
std::int64_t WaitedForCpuNs(pid_t pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/stat");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::size_t name_end = text.rfind(')');  // The name before it may hold anything.
  if (name_end == std::string::npos) return 0;
  std::istringstream fields(text.substr(name_end + 1));
  std::string skipped;
  for (int field = 3; field < 16; ++field) fields >> skipped;
  std::int64_t user = 0, system = 0;
  fields >> user >> system;
  return (user + system) * (std::int64_t{1'000'000'000} / ::sysconf(_SC_CLK_TCK));
}

/// The children of all threads of a process, as /proc tells them.
void AddChildren(pid_t parent, std::vector<pid_t>& to) {
  std::error_code error;
  for (std::filesystem::directory_iterator task("/proc/" + std::to_string(parent) + "/task", error), end;
       !error && task != end; task.increment(error)) {
    std::ifstream children(task->path() / "children");
    for (pid_t child = -1; children >> child;) to.push_back(child);
  }
}

/// The number behind `key` at the start of a line; the first of all where the key is empty.
std::optional<std::int64_t> NumberAfter(std::string_view text, std::string_view key) {
  while (!text.empty()) {
    std::int64_t value = 0;
    if (text.starts_with(key)) {
      std::from_chars(text.data() + key.size(), text.data() + text.size(), value);
      return value;
    }
    const std::size_t end = text.find('\n');
    text = end == std::string_view::npos ? std::string_view() : text.substr(end + 1);
  }
  return std::nullopt;
}

}  // namespace

Duration Starved(const CpuUse& start, const CpuUse& end) {
  const std::int64_t others = (end.used - start.used) - (end.first_ran - start.first_ran);
  const std::int64_t waited = (end.first_waited - start.first_waited) + (end.judge_waited - start.judge_waited);
  return Duration(std::max<std::int64_t>(0, waited - std::max<std::int64_t>(0, others)));
}

CpuAccount::CpuAccount(const std::vector<std::string>& cgroups, pid_t supervisor) : supervisor_(supervisor) {
  for (const bool in_us : {false, true}) {
    for (const std::string& folder : cgroups) {
      const std::string file = folder + (in_us ? "/cpu.stat" : "/cpuacct.usage");
      counter_ = Fd(::open(file.c_str(), O_RDONLY | O_CLOEXEC));
      in_us_ = in_us;
      // cpu.stat of version 1 counts throttling and no time.
      if (Counted()) return;
    }
  }
  counter_ = Fd();
}

std::int64_t CpuAccount::UsedNs(pid_t host) const {
  // 0 where the host could not join.
  if (const std::int64_t all = Counted().value_or(0); all > 0) return all - ProcessCpuNs(supervisor_);
  return WalkedNs(host);
}

CpuUse CpuAccount::Use(pid_t host) const {
  CpuUse use{.used = UsedNs(host)};
  std::int64_t ran = 0;
  if (host > 0) std::ifstream("/proc/" + std::to_string(host) + "/schedstat") >> use.first_ran >> use.first_waited;
  std::ifstream("/proc/thread-self/schedstat") >> ran >> use.judge_waited;
  return use;
}

std::optional<std::int64_t> CpuAccount::Counted() const {
  char text[512];
  const ssize_t length = counter_.valid() ? ::pread(counter_.get(), text, sizeof text, 0) : -1;
  if (length <= 0) return std::nullopt;
  const std::string_view read(text, static_cast<std::size_t>(length));
  if (!in_us_) return NumberAfter(read, "");
  const std::optional<std::int64_t> us = NumberAfter(read, "usage_usec ");
  return us ? std::optional(*us * 1000) : std::nullopt;
}

std::int64_t CpuAccount::WalkedNs(pid_t host) const {
  std::int64_t total = WaitedForCpuNs(supervisor_);  // Of those that had lost their parent.
  std::vector<pid_t> processes;
  if (host > 0) processes.push_back(host);
  for (std::size_t i = 0; i < processes.size() && i < kMostCounted; ++i) {
    total += ProcessCpuNs(processes[i]) + WaitedForCpuNs(processes[i]);
    AddChildren(processes[i], processes);
  }
  return total;
}

pid_t FirstChild(pid_t parent) {
  std::vector<pid_t> children;
  AddChildren(parent, children);
  return children.empty() ? -1 : children.front();
}

}  // namespace kgym::judge
