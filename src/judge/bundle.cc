#include "judge/bundle.h"

#include <zstd.h>

#include <charconv>
#include <span>

#include "base/check.h"
#include "base/files.h"
#include "base/ids.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr int kLevel = 9;

void PutSource(Json& json, const std::string& source) {
  if (IsUtf8(source)) {
    json["source"] = source;
  } else {
    json["source_hex"] = Hex(std::as_bytes(std::span(source)));
  }
}

Result<std::string> FromHex(std::string_view hex) {
  const Error odd{"field 'source_hex': two hex digits a byte are expected"};
  if (hex.size() % 2 != 0) return odd;
  std::string bytes;
  for (std::size_t i = 0; i < hex.size(); i += 2) {
    unsigned char byte = 0;
    const auto [end, code] = std::from_chars(hex.data() + i, hex.data() + i + 2, byte, 16);
    if (code != std::errc() || end != hex.data() + i + 2) return odd;
    bytes.push_back(static_cast<char>(byte));
  }
  return bytes;
}

Result<std::string> TakeSource(const Json& json) {
  if (!json.contains("source_hex")) return GetString(json, "source");
  KGYM_TRY(const std::string hex, GetString(json, "source_hex"));
  return FromHex(hex);
}

Result<Problem> ReadProblem(const Json& json) {
  Problem problem;
  KGYM_TRY(problem.name, GetString(json, "name"));
  KGYM_TRY(problem.path, GetStringOr(json, "path", ""));
  KGYM_TRY(problem.source, TakeSource(json));
  KGYM_TRY(problem.workload, GetString(json, "workload"));
  KGYM_TRY(const Json* sizes, GetObject(json, "sizes"));
  problem.sizes = *sizes;
  return problem;
}

Result<Submission> ReadSubmission(const Json& json) {
  Submission submission;
  KGYM_TRY(submission.name, GetString(json, "name"));
  KGYM_TRY(submission.source, TakeSource(json));
  KGYM_TRY(submission.backend, GetString(json, "backend"));
  KGYM_TRY(submission.entry, GetString(json, "entry"));
  return submission;
}

Result<Bundle> ReadFields(const Json& json) {
  KGYM_TRY(const std::string schema, GetString(json, "schema"));
  if (schema != kBundleSchema)
    return Error{Concat("field 'schema': '", schema, "' found; '", kBundleSchema, "' is expected")};
  Bundle bundle;
  KGYM_TRY(const Json* problem, GetObject(json, "problem"));
  KGYM_TRY(const Json* submission, GetObject(json, "submission"));
  KGYM_TRY(const Json* config, GetObject(json, "config"));
  KGYM_TRY(const Json* verdict, GetObject(json, "verdict"));
  KGYM_TRY(bundle.problem, ReadProblem(*problem));
  KGYM_TRY(bundle.submission, ReadSubmission(*submission));
  bundle.config = *config;
  bundle.verdict = *verdict;
  return bundle;
}

Result<std::string> Decompress(std::string_view bytes) {
  const unsigned long long size = ZSTD_getFrameContentSize(bytes.data(), bytes.size());
  if (size == ZSTD_CONTENTSIZE_ERROR)
    return Error{"it is not a zstd frame; a bundle that `kgym eval --keep` wrote is expected"};
  if (size == ZSTD_CONTENTSIZE_UNKNOWN || size > kBundleLimit)
    return Error{"it does not say its size, or one above " + FormatBytes(kBundleLimit)};
  std::string text(size, '\0');
  const std::size_t written = ZSTD_decompress(text.data(), text.size(), bytes.data(), bytes.size());
  if (ZSTD_isError(written)) return Error{Concat("its zstd frame is broken: ", ZSTD_getErrorName(written))};
  text.resize(written);
  return text;
}

}  // namespace

std::string PackBundle(const Bundle& bundle) {
  const Problem& problem = bundle.problem;
  const Submission& submission = bundle.submission;
  Json json = {{"schema", kBundleSchema}};
  json["problem"] = {
      {"name", problem.name}, {"path", problem.path}, {"workload", problem.workload}, {"sizes", problem.sizes}};
  json["submission"] = {{"name", submission.name}, {"backend", submission.backend}, {"entry", submission.entry}};
  PutSource(json["problem"], problem.source);
  PutSource(json["submission"], submission.source);
  json["config"] = bundle.config;
  json["verdict"] = bundle.verdict;
  const std::string text = DumpJson(json);
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  const std::size_t size = ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), kLevel);
  KGYM_CHECK(!ZSTD_isError(size)) << ZSTD_getErrorName(size);
  bytes.resize(size);
  return bytes;
}

Result<Bundle> UnpackBundle(std::string_view bytes, std::string_view where) {
  Result<std::string> text = Decompress(bytes);
  if (!text.ok()) return Within(where, text.error());
  KGYM_TRY(const Json json, ParseJson(*text, where));
  Result<Bundle> bundle = ReadFields(json);
  if (!bundle.ok()) return Within(where, bundle.error());
  return bundle;
}

Result<std::filesystem::path> KeepBundle(const std::filesystem::path& folder, const Bundle& bundle) {
  KGYM_TRY(const std::string id, GetString(bundle.verdict, "id"));
  KGYM_TRY_VOID(MakeFolders(folder));
  const std::filesystem::path path = folder / (id + ".kgym");
  KGYM_TRY_VOID(WriteFileAtomic(path, PackBundle(bundle)));
  return path;
}

Result<Bundle> ReadBundle(const std::filesystem::path& path) {
  KGYM_TRY(const std::string bytes, ReadFile(path, kBundleLimit));
  return UnpackBundle(bytes, path.string());
}

}  // namespace kgym::judge
