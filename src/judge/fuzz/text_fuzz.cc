// What a submission is and what it prints: bytes of any kind, which become text in a verdict.
//
// The input is a submission's source, and is printed in pieces whose lengths its own bytes say.
#include <algorithm>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "judge/fuzz/target.h"
#include "judge/output_log.h"
#include "judge/problem.h"

namespace kgym::judge::fuzz {
namespace {

void CheckText(std::string_view bytes) {
  const std::string text = ToUtf8(bytes);
  KGYM_CHECK(IsUtf8(text));
  KGYM_CHECK(IsUtf8(bytes) == (text == bytes));
  KGYM_CHECK(ToUtf8(text) == text);
  const std::size_t limit = bytes.empty() ? 0 : static_cast<unsigned char>(bytes.front());
  const std::string_view start = TruncateUtf8(text, limit);
  KGYM_CHECK(start.size() <= limit && IsUtf8(start) && text.starts_with(start));
}

void CheckSource(std::string_view bytes) {
  Submission submission;
  submission.source = bytes;
  const std::string fault = FormatFault(submission);
  KGYM_CHECK(IsUtf8(fault));
  KGYM_CHECK(!fault.empty() || (IsUtf8(bytes) && !bytes.empty() && bytes.find('\0') == std::string_view::npos));
  KGYM_CHECK(submission.Hash().size() == 64);
}

/// A log against what it should be: the first and the last 16 KiB of everything.
void CheckLog(std::string_view bytes) {
  OutputLog log;
  std::string all;
  for (std::string_view rest = bytes; !rest.empty();) {
    const std::size_t length = 1 + static_cast<unsigned char>(rest.front());
    const std::size_t times = rest.size() % 7 == 0 ? 90 : 1;  // Short inputs, too, print more than is kept.
    for (std::size_t i = 0; i < times; ++i) {
      log.Add(rest.substr(0, length));
      all += rest.substr(0, length);
    }
    rest.remove_prefix(std::min(length, rest.size()));
  }
  const std::size_t head = std::min(all.size(), OutputLog::kKept), tail = std::min(all.size() - head, OutputLog::kKept);
  KGYM_CHECK(log.head() == all.substr(0, head));
  KGYM_CHECK(log.tail() == all.substr(all.size() - tail));
  KGYM_CHECK(log.dropped() == all.size() - head - tail);
  KGYM_CHECK(log.Text().size() <= 2 * OutputLog::kKept + 64);
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  CheckText(Bytes(data, size));
  CheckSource(Bytes(data, size));
  CheckLog(Bytes(data, size));
  return 0;
}
