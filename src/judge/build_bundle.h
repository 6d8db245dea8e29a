// A build as it travels between machines: one text of all its artefacts.
//
//   {"artefacts": [{"key", "sha256", "bytes"}, ...]} \n the files' bytes, one behind the other
//
// Threads: any; pure functions.
#pragma once

#include <string>
#include <string_view>

#include "judge/build.h"

namespace kgym::judge {

/// A larger build stays on its machine.
inline constexpr std::size_t kMostBundleBytes = std::size_t{64} << 20;

/// An error where it is larger than kMostBundleBytes.
Result<std::string> PackBuild(const Artefacts& artefacts);

/// What is wrong with it: its form, its sizes, a digest.
Status CheckBundle(std::string_view bundle);

/// Checks, too. The artefacts are marked as cached and as fetched.
Result<Artefacts> UnpackBuild(std::string_view bundle);

}  // namespace kgym::judge
