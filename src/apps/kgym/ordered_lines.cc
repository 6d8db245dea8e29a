#include "apps/kgym/ordered_lines.h"

#include "apps/kgym/console.h"

namespace kgym::app {

Result<OrderedLines> OrderedLines::Open(const std::string& file, bool print) {
  OrderedLines lines;
  lines.print_ = print;
  if (file.empty()) return lines;
  lines.file_.open(file, std::ios::binary | std::ios::trunc);
  if (!lines.file_) return SystemError("writing '" + file + "'");
  return lines;
}

void OrderedLines::Put(std::size_t index, std::string line) {
  waiting_[index] = std::move(line) + "\n";
  for (auto first = waiting_.find(next_); first != waiting_.end(); first = waiting_.find(++next_)) {
    if (print_) Print(first->second);
    if (file_.is_open()) file_ << first->second << std::flush;
    waiting_.erase(first);
  }
}

}  // namespace kgym::app
