#include "judge/problem.h"

#include "base/hash.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr std::size_t kMaxSource = std::size_t{1} << 20;

}  // namespace

std::string Problem::Hash() const {
  return Sha256().Field(name).Field(source).Field(workload).Field(DumpJson(sizes)).FinishHex();
}

std::string Submission::Hash() const { return Sha256().Field(source).Field(backend).Field(entry).FinishHex(); }

std::string FormatFault(const Submission& submission) {
  const std::string& source = submission.source;
  if (source.find_first_not_of(" \t\r\n") == std::string::npos) return "the source is empty";
  if (source.size() > kMaxSource)
    return "the source has " + std::to_string(source.size()) + " bytes; at most " + std::to_string(kMaxSource) +
           " are taken";
  if (source.find('\0') != std::string::npos)
    return "the source holds a NUL byte at " + std::to_string(source.find('\0'));
  if (!IsUtf8(source)) return "the source is not UTF-8";
  const std::size_t first = source.find_first_not_of(" \t\r\n");
  if (source.compare(first, 3, "```") == 0)
    return "the source is wrapped in a markdown fence (```); the code alone is expected";
  return "";
}

}  // namespace kgym::judge
