// Files and folders, with errors that name the path.
//
// Threads: any. Everything here blocks; not for an executor that serves others unless the files are small.
#pragma once

#include <cstddef>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgym {

inline constexpr std::size_t kFileLimit = std::size_t{64} << 20;

/// The whole file; one larger than `limit` bytes is an error.
Result<std::string> ReadFile(const std::filesystem::path& path, std::size_t limit = kFileLimit);

/// A reader sees the old content or the new, never a part; the content is on disk before the name changes.
Status WriteFileAtomic(const std::filesystem::path& path, std::string_view bytes, unsigned mode = 0644);

Status MakeFolders(const std::filesystem::path& path);

/// Every regular file below `folder`, sorted by path; only those whose name ends in `suffix`, where one is given.
/// Symbolic links to folders are not followed.
Result<std::vector<std::filesystem::path>> ListFiles(const std::filesystem::path& folder, std::string_view suffix = "");

/// A fresh private folder (mode 0700) that is removed with all it holds when the object goes.
class TempDir {
 public:
  /// Below `parent`, or where that is empty below $TMPDIR or /tmp; its name starts with `prefix`.
  static Result<TempDir> Create(std::string_view prefix, const std::filesystem::path& parent = {});

  TempDir(TempDir&& other) noexcept;
  TempDir& operator=(TempDir&& other) noexcept;
  ~TempDir();

  const std::filesystem::path& path() const { return path_; }

 private:
  explicit TempDir(std::filesystem::path path) : path_(std::move(path)) {}
  void Remove();

  std::filesystem::path path_;  // Empty where there is nothing to remove.
};

}  // namespace kgym
