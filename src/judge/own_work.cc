#include "judge/own_work.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <string>

#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

// Shares of a library's time in two calls of the same kernel: other clocks and caches do not move them so far.
constexpr double kSharesApart = 0.2;

std::string Names(const Json& counts) {
  std::vector<std::string> names;
  for (const auto& [name, count] : counts.items()) names.push_back(name);
  if (names.size() > 6) names.resize(6);
  return Join(names, ", ");
}

/// Whether every computing operator of the reference was called, and nothing else.
bool SameOperators(const Json& mine, const Json& reference) {
  if (mine.empty() || !reference.is_object() || mine.size() != reference.size()) return false;
  return std::ranges::all_of(mine.items(), [&reference](const auto& item) { return reference.contains(item.key()); });
}

bool OwnOutput(const Json& output) { return ClaimedText(output, "kind") == "own"; }

bool HasKernels(const Json& facts) {
  return !ClaimedObject(facts, "kernels").empty() || !ClaimedArray(facts, "foreign").empty();
}

/// What failed of its own: calls that raised, or builds that did.
Json Failures(const Json& facts) {
  const Json& raised = ClaimedObject(facts, "raised");
  return raised.empty() ? ClaimedArray(facts, "compile_errors") : raised;
}

Ruling Without(const Json& facts, const Json& reference_operators) {
  Json operators = ClaimedObject(facts, "operators");
  for (const auto& [name, count] : ClaimedObject(facts, "unseen").items()) operators[name] = count;
  const Json& inside = ClaimedObject(facts, "inside");
  Json evidence = {{"stage", "own work"},
                   {"operators", operators},
                   {"kernels", ClaimedObject(facts, "kernels")},
                   {"launches", ClaimedObject(facts, "launches")}};
  if (Json failures = Failures(facts); !failures.empty()) {
    evidence["raised"] = std::move(failures);
    return {Outcome::kRejectedReferenceCall,
            "its own kernel failed and the framework answered instead: " + Names(operators), evidence};
  }
  if (!inside.empty()) {
    evidence["inside"] = inside;
    return {Outcome::kRejectedLibraryCall, "its native code only calls the framework: " + Names(inside), evidence};
  }
  const Json& outputs = ClaimedArray(facts, "outputs");
  if (!outputs.empty() &&
      std::ranges::all_of(outputs, [](const Json& output) { return ClaimedText(output, "kind") == "input"; })) {
    return {Outcome::kRejectedNoWork, "its output is its input, or a copy of it", evidence};
  }
  if (HasKernels(facts)) {
    const bool launched = !ClaimedObject(facts, "launches").empty();
    return {Outcome::kRejectedDecoyKernel,
            launched
                ? "its kernel ran, but nothing that it computed reaches the output; that came from " + Names(operators)
                : "it defines a kernel and does not launch it; the output came from " + Names(operators),
            evidence};
  }
  if (SameOperators(operators, reference_operators))
    return {Outcome::kRejectedReferenceCall, "it has no kernel and calls what the reference calls: " + Names(operators),
            evidence};
  return {Outcome::kRejectedLibraryCall,
          operators.empty() ? "it has no kernel of its own"
                            : "it has no kernel; framework operators made the result: " + Names(operators),
          evidence};
}

double ClaimedTime(const Json& json, std::string_view field) { return std::max(0.0, ClaimedNumber(json, field)); }

/// On a GPU: native code that launches kernels of vendors' libraries or of the framework, and none of its own.
MaybeRuling RuleOnLibraryKernels(const Json& facts) {
  const Json& profile = ClaimedObject(facts, "profile");
  const Json& us = ClaimedObject(profile, "us");
  const double others = ClaimedTime(us, "library") + ClaimedTime(us, "framework");
  if (ClaimedNumber(us, "own") > 0 || others <= 0) return std::nullopt;
  return Ruling{Outcome::kRejectedLibraryCall,
                "every kernel that it launched is a library's or the framework's",
                {{"stage", "own work"}, {"kernels", ClaimedArray(profile, "kernels")}}};
}

/// What a summary takes over as it was claimed, where it is what it should be.
struct Field {
  const char* name;
  bool (Json::*is)() const noexcept;
};
constexpr Field kFields[] = {{"kernels", &Json::is_object},   {"foreign", &Json::is_array},
                             {"launches", &Json::is_object},  {"raised", &Json::is_object},
                             {"outputs", &Json::is_array},    {"profile", &Json::is_object},
                             {"peak_bytes", &Json::is_number}};

/// A field's counts by name, without what is no count.
Json Counts(const Json& facts, std::string_view field) {
  Json counts = Json::object();
  for (const auto& [name, count] : ClaimedObject(facts, field).items()) {
    if (count.is_number_integer() && count.get<std::int64_t>() >= 0) counts[name] = count;
  }
  return counts;
}

/// On a card, each library's share of the time of all kernels; on a CPU, the framework's of what was seen.
Json Libraries(const Json& facts) {
  const Json& profile = ClaimedObject(facts, "profile");
  const Json& us = ClaimedObject(profile, "us");
  const double framework = ClaimedTime(facts, "framework_ns") + ClaimedTime(facts, "inside_ns");
  std::map<std::string, double> times;
  double all = ClaimedTime(facts, "own_ns") + framework;
  if (us.empty()) {
    times["torch"] = framework;
  } else {
    all = ClaimedTime(us, "own") + ClaimedTime(us, "library") + ClaimedTime(us, "framework");
    times["torch"] = ClaimedTime(us, "framework");
    for (const auto& [name, time] : ClaimedObject(profile, "libraries").items())
      times[ToUtf8(name)] += ClaimedTime(ClaimedObject(profile, "libraries"), name);
  }
  if (all <= 0 || !std::isfinite(all)) return nullptr;
  Json shares = Json::object();
  for (const auto& [name, time] : times) {
    if (time > 0) shares[name] = std::min(1.0, time / all);
  }
  return shares;
}

/// The share of own time in all; null where there was no time, or more than can be added.
Json Share(double own, double other) {
  const double all = own + other;
  return all > 0 && std::isfinite(all) ? Json(own / all) : Json(nullptr);
}

}  // namespace

MaybeRuling RuleOnOwnWork(const Json& facts, const Json& reference_operators) {
  const bool own = HasKernels(facts) && std::ranges::any_of(ClaimedArray(facts, "outputs"), OwnOutput);
  if (own) return RuleOnLibraryKernels(facts);
  return Without(facts, reference_operators);
}

MaybeRuling RuleOnTwoFaces(const Json& facts, const Json& watched) {
  if (!watched.is_object()) return std::nullopt;
  Json extra = Json::object();
  for (const auto& [name, count] : watched.items()) {
    const bool observed =
        std::ranges::any_of(std::initializer_list<const char*>{"operators", "inside", "unseen"},
                            [&](const char* key) { return ClaimedObject(facts, key).contains(name); });
    if (!observed) extra[name] = count;
  }
  if (extra.empty()) return std::nullopt;
  return Ruling{Outcome::kRejectedDecoyKernel,
                "its timed calls run framework operators that its observed call did not: " + Names(extra),
                {{"stage", "timing"}, {"operators", std::move(extra)}}};
}

MaybeRuling RuleOnKernelsOfTwoFaces(const Json& facts, const Json& watched) {
  if (ClaimedObject(watched, "us").empty()) return std::nullopt;
  const Json shares = Libraries({{"profile", watched}}), observed = Libraries(facts);
  Json extra = Json::object();
  for (const auto& [name, share] : shares.items()) {
    if (share.get<double>() > ClaimedTime(observed, name) + kSharesApart) extra[name] = share;
  }
  if (extra.empty()) return std::nullopt;
  return Ruling{Outcome::kRejectedLibraryCall,
                "kernels of " + Names(extra) + " run in its timed calls that its observed call did without",
                {{"stage", "timing"}, {"libraries", std::move(extra)}, {"kernels", ClaimedArray(watched, "kernels")}}};
}

Json OwnWorkSummary(const Json& facts) {
  Json summary = Json::object();
  for (const Field& field : kFields) {
    if (const Json& value = Claimed(facts, field.name); (value.*field.is)()) summary[field.name] = value;
  }
  for (const char* key : {"operators", "inside", "unseen"}) {
    if (Claimed(facts, key).is_object()) summary[key] = Counts(facts, key);
  }
  summary["libraries"] = Libraries(facts);
  if (const Json& us = ClaimedObject(ClaimedObject(facts, "profile"), "us"); !us.empty()) {
    summary["coverage"] = Share(ClaimedTime(us, "own"), ClaimedTime(us, "library") + ClaimedTime(us, "framework"));
    return summary;
  }
  const double own = ClaimedTime(facts, "own_ns");
  // Own code that is called past the wrappers (ctypes, say) has no time of its own: its share is not known.
  const bool unseen = own <= 0 && std::ranges::any_of(ClaimedArray(facts, "outputs"), OwnOutput);
  if (unseen) summary["libraries"] = nullptr;
  summary["coverage"] =
      unseen ? Json(nullptr) : Share(own, ClaimedTime(facts, "framework_ns") + ClaimedTime(facts, "inside_ns"));
  return summary;
}

}  // namespace kgym::judge
