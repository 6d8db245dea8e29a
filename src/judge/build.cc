#include "judge/build.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/log.h"
#include "judge/build_bundle.h"
#include "judge/machine.h"

namespace kgym::judge {

namespace fs = std::filesystem;

bool IsArtefactKey(const std::string& key) {
  return key.size() == 64 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

std::string BuildSalt(const Json& versions, const std::string& runner_hash, const BuildGround& ground) {
  return DumpJson({versions, runner_hash, CpuModel(), ground.device, ground.arch});
}

std::string BuildMark(const std::string& salt) { return Sha256Hex(salt).substr(0, 16); }

std::vector<std::string> HostModules() {
  return {"torch", "numpy", "triton", "triton.language", "torch.utils.cpp_extension", "torch.utils._python_dispatch"};
}

std::string BuildCache::Key(const Submission& submission) const {
  return Sha256().Field(submission.Hash()).Field(salt_).FinishHex();
}

Result<Artefacts> BuildCache::Load(const std::string& key) const {
  Artefacts artefacts;
  artefacts.cached = true;
  const fs::path entry = folder_ / key;
  KGYM_TRY(const std::string text, ReadFile(entry / "index.json"));
  KGYM_TRY(const Json index, ParseJson(text, (entry / "index.json").string()));
  KGYM_TRY(const Json* rows, GetArray(index, "artefacts"));
  for (const Json& row : *rows) {
    KGYM_TRY(artefacts.keys.emplace_back(), GetString(row, "key"));
    KGYM_TRY(const std::string digest, GetString(row, "sha256"));
    const fs::path file = entry / artefacts.keys.back();
    KGYM_TRY(const std::string bytes, ReadFile(file, kMostArtefactBytes));
    if (Sha256Hex(bytes) != digest) return Error{file.string() + ": its content is not what was stored"};
    KGYM_TRY(artefacts.files.emplace_back(), SealedMemfd("kgym-artefact", bytes));
  }
  return artefacts;
}

Status BuildCache::Store(const std::string& key, const Artefacts& artefacts) const {
  KGYM_TRY_VOID(MakeFolders(folder_));
  const fs::path beside = folder_ / ("." + key + "." + RandomHex(4));
  KGYM_TRY_VOID(MakeFolders(beside));
  Json rows = Json::array();
  for (std::size_t i = 0; i < artefacts.keys.size(); ++i) {
    KGYM_TRY(const std::string bytes, ReadMemfd(artefacts.files[i].get(), kMostArtefactBytes));
    KGYM_TRY_VOID(WriteFileAtomic(beside / artefacts.keys[i], bytes));
    rows.push_back({{"key", artefacts.keys[i]}, {"sha256", Sha256Hex(bytes)}});
  }
  KGYM_TRY_VOID(WriteFileAtomic(beside / "index.json", DumpJson({{"artefacts", rows}}, 1)));
  std::error_code error;
  fs::rename(beside, folder_ / key, error);
  if (error) fs::remove_all(beside, error);  // Somebody else was first: theirs is the same.
  return Ok();
}

namespace {

Ruling Forged(const std::string& what) { return {Outcome::kRejectedResultForgery, what, {{"stage", "build"}}}; }

void StoreOrWarn(const BuildCache& cache, const std::string& key, const Artefacts& artefacts) {
  if (Status stored = cache.Store(key, artefacts); !stored.ok())
    LogWarning("a build could not be cached: " + stored.error().message);
}

/// What another machine built; none where it is to be built here.
Awaitable<std::optional<Artefacts>> Fetched(BuildDepot& depot, const BuildCache& cache, std::string key) {
  const Result<std::optional<std::string>> bundle = co_await depot.Fetch(key);
  if (!bundle.ok()) LogWarning("builds of others cannot be asked for: " + bundle.error().message);
  if (!bundle.ok() || !*bundle) co_return std::nullopt;
  Result<Artefacts> artefacts = UnpackBuild(**bundle);
  if (!artefacts.ok()) {
    LogWarning("a build of another machine is not taken: " + artefacts.error().message);
    co_return std::nullopt;
  }
  StoreOrWarn(cache, key, *artefacts);
  co_return *std::move(artefacts);
}

}  // namespace

Result<Artefacts> TakeArtefacts(Answer answer, std::size_t most_bytes) {
  Artefacts artefacts;
  KGYM_TRY(const Json* keys, GetArray(answer.body, "artefacts"));
  if (keys->size() != answer.fds.size()) return Error{"a builder host sent other files than it names"};
  std::size_t left = most_bytes;
  for (std::size_t i = 0; i < keys->size(); ++i) {
    if (!(*keys)[i].is_string() || !IsArtefactKey((*keys)[i].get<std::string>()))
      return Error{"a builder host names a file '" + DumpJson((*keys)[i]).substr(0, 80) + "'"};
    artefacts.keys.push_back((*keys)[i].get<std::string>());
    const Result<std::string> bytes = ReadMemfd(answer.fds[i].get(), left);
    if (!bytes.ok()) return Within("a builder host's file " + artefacts.keys.back().substr(0, 12), bytes.error());
    left -= bytes->size();
    KGYM_TRY(artefacts.files.emplace_back(), SealedMemfd("kgym-artefact", *bytes));
  }
  return artefacts;
}

Awaitable<Result<Built>> Build(Zygote& zygote, const BuildCache& cache, BuildDepot* depot, const JudgeConfig& config,
                               BuildGround ground, const Submission& submission, std::string& log) {
  const std::string key = cache.Key(submission);
  if (Result<Artefacts> known = cache.Load(key); known.ok()) co_return Built(std::move(*known));
  if (depot != nullptr) {
    std::optional<Artefacts> fetched = co_await Fetched(*depot, cache, key);
    if (fetched) co_return Built(*std::move(fetched));
  }

  HostSpec spec;
  spec.kind = HostKind::kBuilder;
  spec.cpus = std::move(ground.cpus);
  spec.memory_bytes = std::int64_t{config.limits.memory_mb} << 20;
  spec.processes = config.limits.processes;
  spec.tmp_bytes = std::int64_t{config.limits.tmp_mb} << 20;
  spec.strict = config.sandbox == SandboxLevel::kStrict;
  KGYM_CO_TRY(const std::unique_ptr<Host> host, co_await zygote.Fork(spec));
  KGYM_CO_TRY(const Fd source, SealedMemfd("kgym-submission", submission.source));
  Json request = {{"op", "build"},
                  {"backend", submission.backend},
                  {"entry", submission.entry},
                  {"jobs", config.build_jobs},
                  {"device", ground.device},
                  {"arch", ground.arch}};
  std::vector<int> fds = {source.get()};
  Answer answer = co_await host->Call(std::move(request), std::move(fds), config.limits.build);
  log = host->output().Text();
  MaybeRuling ruling = RuleOnAnswer(answer, "build", host->OutOfMemory());
  co_await host->End();
  if (ruling) co_return Built(std::move(*ruling));
  Result<Artefacts> artefacts = TakeArtefacts(std::move(answer));
  if (!artefacts.ok()) co_return Built(Forged(artefacts.error().message));
  StoreOrWarn(cache, key, *artefacts);
  co_return Built(std::move(*artefacts));
}

}  // namespace kgym::judge
