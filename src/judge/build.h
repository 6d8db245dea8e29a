// Native builds: a submission's artefacts, made in a builder host and kept by content.
//
// A cache entry is a folder named by the key: source, entry, backend, the runner's own hash, versions, processor and
// architecture. (The compiler and its flags are in the name of each artefact: a host takes only those that it would
// have made.) What a submission's process built is only ever given to the same submission again, so a poisoned artefact
// poisons nobody else. An entry appears whole or not at all (written beside, then renamed).
//
// Threads: the executor it was made on. Builds run at once up to `jobs`.
#pragma once

#include <cstddef>
#include <filesystem>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/async.h"
#include "base/fd.h"
#include "base/result.h"
#include "judge/judge_config.h"
#include "judge/problem.h"
#include "judge/ruling.h"
#include "judge/zygote.h"

namespace kgym::judge {

struct Artefacts {
  std::vector<std::string> keys;
  std::vector<Fd> files;  // In the order of the keys, readable.
  bool cached = false;
  bool fetched = false;  // From another machine, by a depot.
};

/// Whether it names an artefact: they are named by digests.
bool IsArtefactKey(const std::string& key);

/// Builds that other machines made, by BuildCache::Key(). Slow: asked only where there is nothing here.
class BuildDepot {
 public:
  virtual ~BuildDepot() = default;

  /// A bundle (build_bundle.h), or none where it has no such build.
  virtual Awaitable<Result<std::optional<std::string>>> Fetch(std::string key) = 0;

  /// Offers it to the others.
  virtual Awaitable<Status> Keep(std::string key, std::string bundle) = 0;
};

/// The artefacts, or how the submission's build ended it.
using Built = std::variant<Artefacts, Ruling>;

class BuildCache {
 public:
  BuildCache(std::filesystem::path folder, std::string salt) : folder_(std::move(folder)), salt_(std::move(salt)) {}

  std::string Key(const Submission& submission) const;
  Result<Artefacts> Load(const std::string& key) const;  // An error where there is no sound entry.
  Status Store(const std::string& key, const Artefacts& artefacts) const;

 private:
  std::filesystem::path folder_;
  std::string salt_;
};

/// Where a build runs, and what for.
struct BuildGround {
  std::vector<int> cpus;       // Of the builder host.
  std::string device = "cpu";  // Of the lane.
  std::string arch;            // Of a GPU lane's card: "90".
};

/// What a build depends on besides the submission: two machines of one salt may take each other's builds.
std::string BuildSalt(const Json& versions, const std::string& runner_hash, const BuildGround& ground);

/// 16 hex digits that stand for a salt.
std::string BuildMark(const std::string& salt);

/// What a zygote imports before it forks hosts. The same everywhere, since their versions are in the salt.
std::vector<std::string> HostModules();

/// All artefacts of a submission together; a builder host can name 64 files of holes that take none of its own memory.
inline constexpr std::size_t kMostArtefactBytes = std::size_t{256} << 20;

/// Private copies of what a builder host's answer hands back; an error where that is not what such a host says. The
/// host is no more trusted than a candidate.
Result<Artefacts> TakeArtefacts(Answer answer, std::size_t most_bytes = kMostArtefactBytes);

/// Builds in a host of its own, or takes what the cache has, or the depot where there is one. `log`: what the build
/// printed.
Awaitable<Result<Built>> Build(Zygote& zygote, const BuildCache& cache, BuildDepot* depot, const JudgeConfig& config,
                               BuildGround ground, const Submission& submission, std::string& log);

}  // namespace kgym::judge
