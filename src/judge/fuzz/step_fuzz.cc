// What a host that ran a toolkit hands back: an answer that names files, and the output and files beside it.
//
// The first line is the answer's JSON, the second the output; each other line is a file's bytes.
#include <algorithm>

#include "base/check.h"
#include "base/fd.h"
#include "base/text.h"
#include "judge/fuzz/fake_side.h"
#include "judge/fuzz/target.h"
#include "judge/workflow/toolkit.h"

namespace kgym::judge::fuzz {
namespace {

constexpr std::size_t kLongestReason = 4096;

const TypedFields& Output() {
  static const TypedFields output = ReadTypedFields({{"x", "list[dict[str, float]]"},
                                                     {"y", {{"type", "bytes | None"}, {"default", nullptr}}},
                                                     {"z", {{"type", "json"}, {"default", 1}}}},
                                                    "output")
                                        .value();
  return output;
}

void Check(const StepRecord& record) {
  for (const StepFile& file : record.files) {
    const std::vector<std::string> parts = Split(file.name, '/');
    KGYM_CHECK(!parts.empty() && std::ranges::none_of(parts, [](const std::string& part) {
      return part.empty() || part.starts_with(".");
    })) << file.name;
  }
  const Json json = record.ToJson();
  KGYM_CHECK(IsUtf8(record.reason) && record.reason.size() <= kLongestReason) << record.reason;
  KGYM_CHECK(ParseJson(DumpJson(json)).ok());
  if (record.state == StepRecord::State::kOk) {
    KGYM_CHECK(Complete(Output(), record.output, "again").ok());
  } else {
    KGYM_CHECK(record.output.is_null() && record.files.empty() && !record.reason.empty());
  }
}

void Run(std::string_view input) {
  Result<Json> body = ParseJson(TakeUntil(input, '\n'));
  if (!body.ok()) return;
  Answer answer;
  answer.body = std::move(*body);
  while (!input.empty() && answer.fds.size() < 64)
    answer.fds.push_back(SealedMemfd("fuzz", TakeUntil(input, '\n')).value());
  Check(TakeStep(std::move(answer), Output()));
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  const int before = LowestFree();
  Run(Bytes(data, size));
  KGYM_CHECK(LowestFree() == before) << "descriptors leak";
  return 0;
}
