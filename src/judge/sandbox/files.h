// The few file operations that the steps need, with errno left as the system call set it.
//
// Threads: any; no state.
#pragma once

#include <sys/types.h>

#include <optional>
#include <string>

namespace kgym::judge::sandbox {

/// Writes `text` with one write(2), as the files of /proc and of cgroups want it. The file must exist.
bool WriteExisting(const std::string& path, const std::string& text);

/// Makes or replaces a file.
bool WriteNew(const std::string& path, const std::string& text, mode_t mode);

/// The whole of a file, at most 1 MiB of it.
std::optional<std::string> ReadAll(const std::string& path);

/// Makes a folder and its parents, each 0755 whatever the umask. True where it exists in the end.
bool MakeFolders(const std::string& path);

/// True where `path` is `folder` or lies below it. Compares text, follows no link.
bool IsWithin(const std::string& path, const std::string& folder);

}  // namespace kgym::judge::sandbox
