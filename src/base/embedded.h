// Files carried inside the binary: the Python runner and the native probe.
//
// `path` is relative, as the file is to be unpacked ("kgym_runner/zygote.py", "_probe.abi3.so"); `bytes` live as long
// as the program. Defined by the library that kgym_embed() of cmake/embed.cmake makes; link `kgym_embedded`.
//
// Threads: any.
#pragma once

#include <span>
#include <string_view>

namespace kgym {

struct EmbeddedFile {
  std::string_view path;
  std::string_view bytes;
};

std::span<const EmbeddedFile> EmbeddedFiles();

}  // namespace kgym
