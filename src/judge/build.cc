#include "judge/build.h"

#include <fcntl.h>
#include <unistd.h>

#include "base/files.h"
#include "base/hash.h"
#include "base/ids.h"
#include "base/log.h"

namespace kgym::judge {

namespace fs = std::filesystem;

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

/// Artefacts are named by digests.
bool IsKey(const std::string& key) {
  return key.size() == 64 && key.find_first_not_of("0123456789abcdef") == std::string::npos;
}

Ruling Forged(const std::string& what) { return {Outcome::kRejectedResultForgery, what, {{"stage", "build"}}}; }

}  // namespace

Result<Artefacts> TakeArtefacts(Answer answer, std::size_t most_bytes) {
  Artefacts artefacts;
  KGYM_TRY(const Json* keys, GetArray(answer.body, "artefacts"));
  if (keys->size() != answer.fds.size()) return Error{"a builder host sent other files than it names"};
  std::size_t left = most_bytes;
  for (std::size_t i = 0; i < keys->size(); ++i) {
    if (!(*keys)[i].is_string() || !IsKey((*keys)[i].get<std::string>()))
      return Error{"a builder host names a file '" + DumpJson((*keys)[i]).substr(0, 80) + "'"};
    artefacts.keys.push_back((*keys)[i].get<std::string>());
    const Result<std::string> bytes = ReadMemfd(answer.fds[i].get(), left);
    if (!bytes.ok()) return Within("a builder host's file " + artefacts.keys.back().substr(0, 12), bytes.error());
    left -= bytes->size();
    KGYM_TRY(artefacts.files.emplace_back(), SealedMemfd("kgym-artefact", *bytes));
  }
  return artefacts;
}

Awaitable<Result<Built>> Build(Zygote& zygote, const BuildCache& cache, const JudgeConfig& config, BuildGround ground,
                               const Submission& submission, std::string& log) {
  const std::string key = cache.Key(submission);
  if (Result<Artefacts> known = cache.Load(key); known.ok()) co_return Built(std::move(*known));

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
  if (Status stored = cache.Store(key, *artefacts); !stored.ok())
    LogWarning("a build could not be cached: " + stored.error().message);
  co_return Built(std::move(*artefacts));
}

}  // namespace kgym::judge
