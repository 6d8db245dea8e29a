#include "judge/work_samples.h"

#include <algorithm>
#include <array>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "judge/claims.h"
#include "judge/elf_symbols.h"
#include "judge/library_names.h"
#include "judge/sandbox/spec.h"

namespace kgym::judge {
namespace {

// What begins so in a list of mappings has no file in any folder.
constexpr std::array kWithoutFile = {"/memfd:", "[anonymous]"};

// torch's vectors call these for exp, erf and the like; so does own code that uses torch's vectors.
constexpr std::string_view kMathematics = "Sleef_";

// Own code below this share of what is own or a library's, and libraries above this share of all, are a decoy ...
constexpr double kOwnAtMost = 0.05;
constexpr double kLibraryAtLeast = 0.3;
// ... where that many threads were met in user mode.
constexpr int kEnough = 48;
// What allocating, views and the dispatcher take of a call, whatever its size.
constexpr double kOverheadMs = 0.05;
// An operator may take this much longer in a timed call than in the observed one, where it meets colder memory.
constexpr double kAdmitted = 2;

// So many tell a coverage, which may be that much below the true one.
constexpr double kTelling = 20;
constexpr double kByChance = 0.25;

constexpr std::size_t kShownFunctions = 8;

// Our copying of outputs runs in the framework's library.
constexpr const char* kCopier = "torch";

std::string_view Basename(std::string_view path) { return path.substr(path.rfind('/') + 1); }

bool IsWithin(std::string_view path, std::string_view folder) {
  return path.starts_with(folder) && path.size() > folder.size() && path[folder.size()] == '/';
}

bool MadeByCandidate(std::string_view file, Shown shown) {
  const auto writable = [file, shown](std::string_view folder) {
    const auto covers = [&](const std::string& path) { return IsWithin(path, folder) && IsWithin(file, path); };
    return IsWithin(file, folder) && std::ranges::none_of(shown, covers);
  };
  return std::ranges::any_of(sandbox::kWritable, writable) ||
         std::ranges::any_of(kWithoutFile, [file](std::string_view begin) { return file.starts_with(begin); });
}

/// The names of the functions at these places; only of files that the candidate cannot have made.
std::vector<std::string> FunctionsOf(const std::string& file, const Json& offsets, Shown shown) {
  std::vector<std::uint64_t> at;
  for (const Json& offset : offsets) at.push_back(offset.is_number_unsigned() ? offset.get<std::uint64_t>() : 0);
  if (OwnerOf(file, "", shown) != CodeOwner::kLibrary || MadeByCandidate(file, shown))
    return std::vector<std::string>(at.size());
  return FunctionsAt(file, at);
}

std::vector<std::pair<std::string, int>> Foremost(const std::map<std::string, int>& functions) {
  std::vector<std::pair<std::string, int>> rows(functions.begin(), functions.end());
  std::ranges::stable_sort(rows, std::ranges::greater(), &std::pair<std::string, int>::second);
  rows.resize(std::min(rows.size(), kShownFunctions));
  return rows;
}

double Excess(const WorkSamples& samples, const SampledCalls& calls) {
  return samples.library - Copying(samples, calls);
}

}  // namespace

CodeOwner OwnerOf(std::string_view file, std::string_view function, Shown shown) {
  const bool library = !LibraryOf(file, function).library.empty();
  if (library) return function.starts_with(kMathematics) ? CodeOwner::kOther : CodeOwner::kLibrary;
  return MadeByCandidate(file, shown) ? CodeOwner::kSubmission : CodeOwner::kOther;
}

void WorkSamples::Add(const Json& report, Shown shown) {
  looks += static_cast<int>(ClaimedNumber(report, "looks"));
  in_system += static_cast<int>(ClaimedNumber(report, "in_system"));
  unreadable += static_cast<int>(ClaimedNumber(report, "unreadable"));
  for (const auto& [file, offsets] : ClaimedObject(report, "files").items()) {
    for (const std::string& function : FunctionsOf(file, offsets, shown)) {
      const CodeOwner owner = OwnerOf(file, function, shown);
      ++(owner == CodeOwner::kSubmission ? own : owner == CodeOwner::kLibrary ? library : other);
      if (owner != CodeOwner::kLibrary) continue;
      const LibraryFunction found = LibraryOf(file, function);
      products += found.product ? 1 : 0;
      ++libraries[found.library];
      ++functions[Concat(Basename(file), ": ", function.empty() ? "(no name)" : function)];
    }
  }
}

Json WorkSamples::ToJson() const {
  return {{"looks", looks}, {"own", own},          {"library", library},      {"products", products},
          {"other", other}, {"system", in_system}, {"unreadable", unreadable}};
}

double AllowedMs(const SampledCalls& calls) { return kOverheadMs + kAdmitted * calls.admitted_ms; }

Json FunctionsMet(const WorkSamples& samples) {
  Json shown = Json::object();
  for (const auto& [name, count] : Foremost(samples.functions)) shown[name] = count;
  return shown;
}

double Copying(const WorkSamples& samples, const SampledCalls& calls) {
  const auto copier = samples.libraries.find(kCopier);
  if (copier == samples.libraries.end()) return 0;
  // Of the moments so many fell into copying; several threads may have been met at each, or, where calls wait, none.
  const double copying = calls.emit_share * std::max(samples.looks, samples.user());
  return std::min<double>(copier->second, copying);
}

double LibraryShare(const WorkSamples& samples, const SampledCalls& calls) {
  return samples.user() > 0 ? Excess(samples, calls) / samples.user() : 0;
}

Json SampledCoverage(const WorkSamples& samples, const SampledCalls& calls) {
  const double told = samples.own + Excess(samples, calls);
  return told >= kTelling ? Json(samples.own / told) : Json(nullptr);
}

Json SampledShares(const WorkSamples& samples, const SampledCalls& calls) {
  const double told = samples.own + Excess(samples, calls);
  if (told < kTelling) return nullptr;
  Json shares = Json::object();
  for (const auto& [name, count] : samples.libraries) {
    const double beyond = name == kCopier ? count - Copying(samples, calls) : count;
    if (beyond > 0) shares[name] = beyond / told;
  }
  return shares;
}

Json Coverage(const Json& claimed, const WorkSamples& samples, const SampledCalls& calls) {
  const Json sampled = SampledCoverage(samples, calls);
  if (!sampled.is_number()) return claimed;
  const bool stands = claimed.is_number() && claimed.get<double>() <= sampled.get<double>() + kByChance;
  return stands ? claimed : sampled;
}

bool WorthMore(const WorkSamples& samples, const SampledCalls& calls) {
  // One more, since few samples may have met it by chance.
  const bool little = samples.own <= 1 + kOwnAtMost * samples.user() || samples.own < Excess(samples, calls);
  return samples.user() < kEnough && little && calls.call_ms > AllowedMs(calls);
}

MaybeRuling RuleOnSamples(const WorkSamples& samples, const SampledCalls& calls) {
  const double share = LibraryShare(samples, calls);
  if (samples.user() < kEnough || share < kLibraryAtLeast || share * calls.call_ms <= AllowedMs(calls))
    return std::nullopt;
  if (samples.own > kOwnAtMost * (samples.own + Excess(samples, calls))) return std::nullopt;
  const std::vector<std::pair<std::string, int>> most = Foremost(samples.functions);
  Json evidence = {{"stage", "timing"}, {"samples", samples.ToJson()}, {"functions", FunctionsMet(samples)}};
  return Ruling{Outcome::kRejectedLibraryCall,
                Concat("a library does the work of its timed calls, which its observed call did not show: ",
                       100 * share, " % of the time goes by in ", most.empty() ? "it" : most.front().first,
                       " and the like, ", 100.0 * samples.own / samples.user(), " % in code of its own"),
                std::move(evidence)};
}

}  // namespace kgym::judge
