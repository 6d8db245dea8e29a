#include "judge/baseline.h"

#include <cmath>

#include "base/clock.h"
#include "base/files.h"
#include "base/hash.h"
#include "base/json.h"

namespace kgym::judge {
namespace {

constexpr double kDrift = 0.25;

}  // namespace

std::filesystem::path Baselines::PathOf(const std::string& problem_hash) const {
  return folder_ / (Sha256().Field(problem_hash).Field(salt_).FinishHex() + ".json");
}

std::optional<Baseline> Baselines::Find(const std::string& problem_hash, double eager_ms) const {
  const Result<std::string> text = ReadFile(PathOf(problem_hash));
  if (!text.ok()) return std::nullopt;
  const Result<Json> json = ParseJson(*text);
  if (!json.ok()) return std::nullopt;
  const Result<double> compiled = GetDouble(*json, "compiled_ms"), eager = GetDouble(*json, "eager_ms");
  if (!compiled.ok() || !eager.ok() || !(*compiled > 0) || !(*eager > 0)) return std::nullopt;
  if (std::abs(*eager / eager_ms - 1) > kDrift) return std::nullopt;
  return Baseline{*compiled, *eager};
}

Status Baselines::Keep(const std::string& problem_hash, const Baseline& baseline) const {
  KGYM_TRY_VOID(MakeFolders(folder_));
  return WriteFileAtomic(
      PathOf(problem_hash),
      DumpJson({{"compiled_ms", baseline.compiled_ms}, {"eager_ms", baseline.eager_ms}, {"at", WallTime()}}));
}

}  // namespace kgym::judge
