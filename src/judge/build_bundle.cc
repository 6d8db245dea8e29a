#include "judge/build_bundle.h"

#include "base/hash.h"
#include "base/text.h"

namespace kgym::judge {
namespace {

constexpr std::size_t kMostArtefacts = 64;

/// One file of a bundle, in place.
struct Part {
  std::string key;
  std::string_view bytes;
};

Result<Part> ReadPart(const Json& row, std::string_view& rest) {
  Part part;
  KGYM_TRY(part.key, GetString(row, "key"));
  KGYM_TRY(const std::string digest, GetString(row, "sha256"));
  KGYM_TRY(const std::int64_t size, GetInt(row, "bytes"));
  if (!IsArtefactKey(part.key)) return Error{"field 'key': a digest of 64 hex digits is expected"};
  if (size < 0 || static_cast<std::size_t>(size) > rest.size())
    return Error{Concat("field 'bytes': ", size, " found, and ", rest.size(), " are left")};
  part.bytes = rest.substr(0, static_cast<std::size_t>(size));
  rest.remove_prefix(part.bytes.size());
  if (Sha256Hex(part.bytes) != digest) return Error{Concat("artefact ", part.key, " is not what its digest says")};
  return part;
}

Result<std::vector<Part>> PartsOf(std::string_view bundle) {
  if (bundle.size() > kMostBundleBytes)
    return Error{Concat(FormatBytes(bundle.size()), "; at most ", FormatBytes(kMostBundleBytes), " are expected")};
  const std::size_t end = bundle.find('\n');
  if (end == std::string_view::npos) return Error{"its first line is expected to say what is in it"};
  KGYM_TRY(const Json head, ParseJson(std::string(bundle.substr(0, end)), "first line"));
  KGYM_TRY(const Json* rows, GetArray(head, "artefacts"));
  if (rows->size() > kMostArtefacts)
    return Error{Concat(rows->size(), " artefacts; at most ", kMostArtefacts, " are expected")};
  std::string_view rest = bundle.substr(end + 1);
  std::vector<Part> parts;
  for (const Json& row : *rows) {
    KGYM_TRY(Part part, ReadPart(row, rest));
    parts.push_back(std::move(part));
  }
  if (!rest.empty()) return Error{Concat(rest.size(), " bytes are left over")};
  return parts;
}

}  // namespace

Result<std::string> PackBuild(const Artefacts& artefacts) {
  Json rows = Json::array();
  std::string files;
  for (std::size_t i = 0; i < artefacts.keys.size(); ++i) {
    KGYM_TRY(const std::string bytes, ReadMemfd(artefacts.files[i].get(), kMostBundleBytes));
    rows.push_back({{"key", artefacts.keys[i]}, {"sha256", Sha256Hex(bytes)}, {"bytes", bytes.size()}});
    files += bytes;
  }
  std::string bundle = DumpJson({{"artefacts", std::move(rows)}}) + "\n" + files;
  if (bundle.size() > kMostBundleBytes)
    return Error{
        Concat("a build of ", FormatBytes(bundle.size()), "; at most ", FormatBytes(kMostBundleBytes), " are shared")};
  return bundle;
}

Status CheckBundle(std::string_view bundle) {
  const Result<std::vector<Part>> parts = PartsOf(bundle);
  return parts.ok() ? Ok() : Status(Within("build bundle", parts.error()));
}

Result<Artefacts> UnpackBuild(std::string_view bundle) {
  const Result<std::vector<Part>> parts = PartsOf(bundle);
  if (!parts.ok()) return Within("build bundle", parts.error());
  Artefacts artefacts;
  artefacts.cached = artefacts.fetched = true;
  for (const Part& part : *parts) {
    artefacts.keys.push_back(part.key);
    KGYM_TRY(artefacts.files.emplace_back(), SealedMemfd("kgym-artefact", std::string(part.bytes)));
  }
  return artefacts;
}

}  // namespace kgym::judge
