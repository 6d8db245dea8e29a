// The Python runner and the native probe on disk: unpacked from the binary into a private folder for as long as the
// judge lives.
//
// KGYM_RUNNER, a folder that holds `kgym_runner`, is used instead where it is set (for work on the runner itself).
//
// Threads: any; made once.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "base/files.h"
#include "base/result.h"

namespace kgym::judge {

class Runtime {
 public:
  static Result<Runtime> Unpack();

  /// The folder that holds the package `kgym_runner`.
  const std::filesystem::path& folder() const { return folder_; }

  /// SHA-256 over all files: the runner's part of every cache key.
  const std::string& hash() const { return hash_; }

 private:
  Runtime() = default;

  std::optional<TempDir> unpacked_;
  std::filesystem::path folder_;
  std::string hash_;
};

/// The Python to run the hosts with: `configured`, else KGYM_PYTHON, else .venv beside the working folder or the
/// binary, else python3.
std::string FindPython(const std::string& configured);

}  // namespace kgym::judge
