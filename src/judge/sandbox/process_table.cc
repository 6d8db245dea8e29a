#include "judge/sandbox/process_table.h"

#include <dirent.h>
#include <signal.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <sstream>
#include <string>
#include <string_view>

#include "judge/sandbox/files.h"

namespace kgym::judge::sandbox {
namespace {

struct Thread {
  char state = 'X';              // As in ps: R, S, D, T, Z, X.
  bool has_memory = false;       // It gives that up early when it ends.
  std::uint64_t pending = 0;     // Signals for this thread.
  std::uint64_t for_anyone = 0;  // Signals for the process, which some thread will take.
};

constexpr std::uint64_t Bit(int signo) { return std::uint64_t{1} << (signo - 1); }

bool IsStopped(const Thread& thread) { return thread.state == 'T'; }
bool IsDead(const Thread& thread) { return thread.state == 'Z' || thread.state == 'X'; }

std::string TasksOf(pid_t process) { return "/proc/" + std::to_string(process) + "/task"; }

std::optional<std::vector<pid_t>> NumbersIn(const std::string& folder) {
  DIR* open = opendir(folder.c_str());
  if (!open) return std::nullopt;
  std::vector<pid_t> numbers;
  while (const dirent* entry = readdir(open)) {
    const std::string_view name = entry->d_name;
    pid_t number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  closedir(open);
  return numbers;
}

// What follows `key` at the beginning of a line; nothing where there is no such line.
std::string_view Field(std::string_view status, std::string_view key) {
  const std::size_t at = status.find(key);
  return at == std::string_view::npos ? std::string_view() : status.substr(at + key.size());
}

std::uint64_t Signals(std::string_view status, std::string_view key) {
  const std::string_view field = Field(status, key);
  std::uint64_t bits = 0;
  std::from_chars(field.data(), field.data() + field.size(), bits, 16);
  return bits;
}

std::vector<Thread> ThreadsOf(pid_t process) {
  std::vector<Thread> threads;
  const std::string tasks = TasksOf(process);
  for (const pid_t number : NumbersIn(tasks).value_or(std::vector<pid_t>())) {
    const std::optional<std::string> status = ReadAll(tasks + "/" + std::to_string(number) + "/status");
    if (!status) continue;  // It has just ended.
    const std::string_view state = Field(*status, "\nState:\t");
    threads.push_back({state.empty() ? 'X' : state.front(), status->find("\nVmSize:") != std::string::npos,
                       Signals(*status, "\nSigPnd:\t"), Signals(*status, "\nShdPnd:\t")});
  }
  return threads;
}

// The kernel lets a thread take SIGSTOP and be stopped in one step, but a status is read state first: what is seen as
// neither may have changed in between.
bool SeemsToHaveLostStop(pid_t process) {
  const std::vector<Thread> threads = ThreadsOf(process);
  return !threads.empty() && std::ranges::none_of(threads, [](const Thread& thread) {
    return IsStopped(thread) || ((thread.pending | thread.for_anyone) & Bit(SIGSTOP)) != 0;
  });
}

}  // namespace

bool SeesOwnProcesses() {
  char text[32] = {};
  const ssize_t n = readlink("/proc/self", text, sizeof text - 1);
  return n > 0 && std::string_view(text) == std::to_string(getpid());
}

std::vector<pid_t> OtherProcesses() {
  std::vector<pid_t> processes = NumbersIn("/proc").value_or(std::vector<pid_t>());
  std::erase(processes, getpid());
  return processes;
}

std::optional<std::vector<pid_t>> ChildrenOf(pid_t process) {
  const std::string tasks = TasksOf(process);
  const std::optional<std::vector<pid_t>> threads = NumbersIn(tasks);
  if (!threads) return std::nullopt;
  std::vector<pid_t> children;
  bool told = true;
  for (const pid_t thread : *threads) {
    const std::optional<std::string> text = ReadAll(tasks + "/" + std::to_string(thread) + "/children");
    told = told && text.has_value();
    std::istringstream in(text.value_or(""));
    for (pid_t child = 0; in >> child;) children.push_back(child);
  }
  if (!told) return std::nullopt;
  return children;
}

std::vector<pid_t> ThreadNumbers(pid_t process) { return NumbersIn(TasksOf(process)).value_or(std::vector<pid_t>()); }

void StopThreads(pid_t process) {
  for (const pid_t thread : ThreadNumbers(process)) syscall(SYS_tgkill, process, thread, SIGSTOP);
}

bool StandsStill(pid_t process) {
  return std::ranges::all_of(ThreadsOf(process), [](const Thread& thread) {
    return IsStopped(thread) || IsDead(thread) || (thread.pending & Bit(SIGSTOP)) != 0;
  });
}

bool HasLostStop(pid_t process) { return SeemsToHaveLostStop(process) && SeemsToHaveLostStop(process); }

bool Lives(pid_t process) {
  return std::ranges::any_of(ThreadsOf(process), [](const Thread& thread) {
    return !IsDead(thread) && thread.has_memory && (thread.pending & Bit(SIGKILL)) == 0;
  });
}

}  // namespace kgym::judge::sandbox
