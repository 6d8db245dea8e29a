#include "judge/sandbox/code_watch.h"

#include <algorithm>
#include <charconv>
#include <iterator>
#include <nlohmann/json.hpp>
#include <utility>

#include "judge/sandbox/files.h"
#include "judge/sandbox/process_table.h"

namespace kgym::judge::sandbox {
namespace {

constexpr std::size_t kMostFiles = 128;
constexpr std::size_t kLongestName = 512;
// A thread that ran for less than half as long as another one was mostly waiting for a core.
constexpr std::uint64_t kHardlyRan = 2;

/// The next word of a line, which is taken off it.
std::string_view TakeWord(std::string_view& line) {
  line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
  const std::string_view word = line.substr(0, line.find(' '));
  line.remove_prefix(word.size());
  return word;
}

std::uint64_t Hex(std::string_view text) {
  if (text.starts_with("0x")) text.remove_prefix(2);
  std::uint64_t number = 0;
  std::from_chars(text.data(), text.data() + text.size(), number, 16);
  return number;
}

}  // namespace

std::optional<Place> ParsePlace(std::string_view line) {
  line = line.substr(0, line.find('\n'));
  const std::string_view number = TakeWord(line);
  const std::size_t last = line.find_last_of(' ');
  if (number.empty() || last == std::string_view::npos) return std::nullopt;  // "running".
  return Place{number != "-1", Hex(line.substr(last + 1))};
}

CodeMap::CodeMap(std::string_view maps) {
  while (!maps.empty()) {
    std::string_view line = maps.substr(0, maps.find('\n'));
    maps.remove_prefix(std::min(line.size() + 1, maps.size()));
    const std::string_view addresses = TakeWord(line);
    const std::size_t dash = addresses.find('-');
    if (TakeWord(line).find('x') == std::string_view::npos || dash == std::string_view::npos) continue;
    const std::uint64_t offset = Hex(TakeWord(line));
    TakeWord(line);  // Device.
    TakeWord(line);  // Inode.
    line.remove_prefix(std::min(line.find_first_not_of(' '), line.size()));
    ranges_.push_back({Hex(addresses.substr(0, dash)), Hex(addresses.substr(dash + 1)), offset,
                       std::string(line.empty() ? "[anonymous]" : line.substr(0, kLongestName))});
  }
}

std::optional<CodeMap::Code> CodeMap::At(std::uint64_t address) const {
  const auto after = std::ranges::upper_bound(ranges_, address, {}, &Range::begin);
  if (after == ranges_.begin() || address >= std::prev(after)->end) return std::nullopt;
  const Range& range = *std::prev(after);
  return Code{range.file, address - range.begin + range.offset};
}

std::optional<CodeMap::Code> CodeWatch::CodeAt(pid_t process, std::uint64_t address) {
  if (const auto known = maps_.find(process); known != maps_.end()) {
    if (std::optional<CodeMap::Code> code = known->second.At(address)) return code;
  }
  const std::optional<std::string> text = ReadAll("/proc/" + std::to_string(process) + "/maps");
  return maps_.insert_or_assign(process, CodeMap(text.value_or(""))).first->second.At(address);
}

CodeWatch::Thread CodeWatch::Meet(pid_t process, pid_t thread) {
  Thread met{process, "/proc/" + std::to_string(process) + "/task/" + std::to_string(thread), 0};
  const std::string account = ReadAll(met.folder + "/schedstat").value_or("");
  std::uint64_t ran = 0;
  std::from_chars(account.data(), account.data() + account.size(), ran);
  met.ran = ran - std::exchange(ran_[thread], ran);
  return met;
}

void CodeWatch::LookAtThread(const Thread& thread) {
  const std::optional<std::string> line = ReadAll(thread.folder + "/syscall");
  const std::optional<Place> place = line ? ParsePlace(*line) : std::nullopt;
  if (!place) {
    ++unreadable_;
  } else if (place->in_system) {
    ++in_system_;
  } else if (const auto code = CodeAt(thread.process, place->address); code && places_ < kMostPlaces) {
    const auto known = files_.find(code->file);
    if (known == files_.end() && files_.size() >= kMostFiles) return;
    files_[code->file].push_back(code->offset);
    ++places_;
  }
}

void CodeWatch::Look(const std::vector<pid_t>& processes) {
  ++looks_;
  std::vector<Thread> threads;
  for (const pid_t process : processes) {
    for (const pid_t thread : ThreadNumbers(process)) threads.push_back(Meet(process, thread));
  }
  std::uint64_t most = 0;
  for (const Thread& thread : threads) most = std::max(most, thread.ran);
  for (const Thread& thread : threads) {
    if (thread.ran >= most / kHardlyRan) LookAtThread(thread);
  }
}

std::string CodeWatch::Report() const {
  const nlohmann::json report = {
      {"looks", looks_}, {"files", files_}, {"in_system", in_system_}, {"unreadable", unreadable_}};
  return report.dump(-1, ' ', true, nlohmann::json::error_handler_t::replace);
}

}  // namespace kgym::judge::sandbox
