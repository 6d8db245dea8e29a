#include "judge/library_policy.h"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "base/text.h"
#include "judge/claims.h"
#include "judge/library_names.h"

namespace kgym::judge {
namespace {

constexpr int kEnough = 48;          // Threads met in user mode, below which nothing is held against anybody.
constexpr double kLeastShare = 0.1;  // What copying outputs takes is only known so well.
constexpr double kDeviations = 3;    // Of a count, that are no chance any more.

constexpr std::size_t kNamed = 6;

std::string_view Word(AllowedLibrary allowed) {
  return allowed == AllowedLibrary::kNone ? "none" : allowed == AllowedLibrary::kBlas ? "blas" : "any";
}

std::string_view Meaning(AllowedLibrary allowed) {
  return allowed == AllowedLibrary::kNone ? "no library and no operator of the framework may compute"
                                          : "of libraries only matrix products and convolutions may be used";
}

Ruling Beyond(AllowedLibrary allowed, std::string_view stage, const std::string& found, Json evidence) {
  evidence.update({{"stage", stage}, {"key", "judge.allow_library"}, {"allowed", Word(allowed)}});
  return {Outcome::kRejectedLibraryCall,
          Concat("judge.allow_library is '", Word(allowed), "' (", Meaning(allowed), "), and it uses ", found),
          std::move(evidence)};
}

std::string Names(const Json& by_name) {
  std::vector<std::string> names;
  for (const auto& [name, value] : by_name.items()) names.push_back(name);
  const std::size_t more = names.size() - std::min(names.size(), kNamed);
  names.resize(names.size() - more);
  return Concat(Join(names, ", "), more > 0 ? Concat(" and ", more, " more") : "");
}

/// Computing operators of the observed call that are not allowed, name -> count.
Json Operators(AllowedLibrary allowed, const Json& facts) {
  Json found = Json::object();
  for (const char* where : {"operators", "inside", "unseen"}) {
    for (const auto& [name, count] : ClaimedObject(facts, where).items()) {
      if (allowed == AllowedLibrary::kNone || !IsProduct(name)) found[name] = count;
    }
  }
  return found;
}

/// Libraries whose kernels ran on the card and are not allowed, name -> microseconds. What the framework launched is
/// told by its operators: a convolution may need more kernels than one.
Json Kernels(AllowedLibrary allowed, const Json& facts) {
  const Json& profile = ClaimedObject(facts, "profile");
  return ClaimedObject(profile, allowed == AllowedLibrary::kNone ? "called" : "called_beyond_products");
}

}  // namespace

MaybeRuling RuleOnLibraries(AllowedLibrary allowed, const Json& facts) {
  if (allowed == AllowedLibrary::kAny) return std::nullopt;
  if (Json operators = Operators(allowed, facts); !operators.empty()) {
    const std::string found = "the framework's " + Names(operators);
    return Beyond(allowed, "own work", found, {{"operators", std::move(operators)}});
  }
  if (Json kernels = Kernels(allowed, facts); !kernels.empty()) {
    const std::string found = "kernels of " + Names(kernels);
    return Beyond(allowed, "own work", found, {{"libraries_us", std::move(kernels)}});
  }
  return std::nullopt;
}

Sampled SampledLibraries(AllowedLibrary allowed, const WorkSamples& samples, const SampledCalls& calls) {
  if (allowed == AllowedLibrary::kAny) return Sampled::kWithin;
  const double all = samples.user();
  const int met = samples.library - (allowed == AllowedLibrary::kBlas ? samples.products : 0);
  const double excess = met - Copying(samples, calls);
  const double chance = kDeviations * std::sqrt(met + 1.0);
  const double least = std::max(AllowedMs(calls), kLeastShare * calls.call_ms);
  if (calls.call_ms <= least) return Sampled::kWithin;
  if (all < kEnough) return Sampled::kOpen;
  if (excess / all * calls.call_ms > least && (excess - chance) / all * calls.call_ms > AllowedMs(calls))
    return Sampled::kBeyond;
  return (excess + chance) / all * calls.call_ms > least ? Sampled::kOpen : Sampled::kWithin;
}

MaybeRuling RuleOnSampledLibraries(AllowedLibrary allowed, const WorkSamples& samples, const SampledCalls& calls) {
  if (SampledLibraries(allowed, samples, calls) != Sampled::kBeyond) return std::nullopt;
  const Json libraries = SampledShares(samples, calls);
  return Beyond(allowed, "timing",
                Concat("libraries in its timed calls that its observed call did not show: ", Names(libraries)),
                {{"samples", samples.ToJson()}, {"libraries", libraries}, {"functions", FunctionsMet(samples)}});
}

MaybeRuling RuleOnCoverage(double least, const Json& coverage) {
  if (!coverage.is_number() || coverage.get<double>() >= least) return std::nullopt;
  return Ruling{Outcome::kRejectedLibraryCall,
                Concat("its own kernels have ", 100 * coverage.get<double>(), " % of the time, and at least ",
                       100 * least, " % are asked for (judge.min_coverage is ", least, ")"),
                {{"stage", "own work"}, {"key", "judge.min_coverage"}, {"allowed", least}, {"coverage", coverage}}};
}

}  // namespace kgym::judge
