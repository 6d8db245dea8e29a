// Replay bundles: an evaluation on disk, whole, so that it can be judged again elsewhere.
//
// A file `<id>.kgym` is JSON ("kgym.bundle/1") under zstd: every field of the problem and the submission, the
// configuration, and the verdict that came of it. A source that is not UTF-8 is kept as hex (`source_hex`), byte for
// byte. Bundles come from strangers: both sizes are bounded before anything is read.
//
// Threads: any; plain values and small files.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>

#include "base/json.h"
#include "base/result.h"
#include "judge/problem.h"

namespace kgym::judge {

inline constexpr const char* kBundleSchema = "kgym.bundle/1";
inline constexpr std::size_t kBundleLimit = std::size_t{64} << 20;  // Bytes of a bundle's JSON, and of its file.

struct Bundle {
  Problem problem;
  Submission submission;
  Json config;   // As ConfigFields::ToJson gives it.
  Json verdict;  // As Verdict::ToJson gives it.
};

std::string PackBundle(const Bundle& bundle);

/// An error reads "<where>: ...".
Result<Bundle> UnpackBundle(std::string_view bytes, std::string_view where);

/// Writes `<verdict id>.kgym` into `folder`, which is made if it is not there.
Result<std::filesystem::path> KeepBundle(const std::filesystem::path& folder, const Bundle& bundle);
Result<Bundle> ReadBundle(const std::filesystem::path& path);

}  // namespace kgym::judge
