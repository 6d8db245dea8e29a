// Names of the functions in an ELF file, as far as its dynamic symbol table has them.
//
// For evidence, and to tell functions of mathematics from operators in a library that has both. Reads a library of
// hundreds of megabytes in a few milliseconds, since it maps the file and looks at the symbols alone.
//
// Threads: any; no state. Blocks on the disk where the file is not in memory.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kgym::judge {

/// For each offset into the file the function that holds it; an empty name where none is known, or where the file
/// cannot be read or is no 64-bit ELF file of this machine's byte order.
std::vector<std::string> FunctionsAt(const std::string& path, const std::vector<std::uint64_t>& offsets);

}  // namespace kgym::judge
