#include "judge/elf_symbols.h"

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <link.h>

#include <fstream>

namespace kgym::judge {
namespace {

struct Found {
  std::string path;
  std::uint64_t offset = 0;
};

/// Where a function of the C library lies in its file.
Found WhereIs(const char* name) {
  void* address = ::dlsym(RTLD_DEFAULT, name);
  Dl_info info{};
  link_map* map = nullptr;
  if (::dladdr1(address, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return {};
  std::ifstream maps("/proc/self/maps");
  const auto wanted = reinterpret_cast<std::uint64_t>(address);
  for (std::string line; std::getline(maps, line);) {
    unsigned long long begin = 0, end = 0, offset = 0;
    char flags[8] = {};
    if (std::sscanf(line.c_str(), "%llx-%llx %7s %llx", &begin, &end, flags, &offset) != 4) continue;
    if (wanted >= begin && wanted < end) return {info.dli_fname, wanted - begin + offset};
  }
  return {};
}

TEST(ElfSymbols, NamesAFunctionOfTheCLibraryByAnOffsetWithinIt) {
  const Found qsort = WhereIs("qsort_r"), labs = WhereIs("random_r");
  ASSERT_FALSE(qsort.path.empty());
  ASSERT_EQ(qsort.path, labs.path);
  const std::vector<std::string> names = FunctionsAt(qsort.path, {labs.offset + 2, qsort.offset, 0, ~0ull});
  EXPECT_EQ(names, (std::vector<std::string>{"random_r", "qsort_r", "", ""}));
}

TEST(ElfSymbols, WhatIsNoElfFileHasNoNames) {
  EXPECT_EQ(FunctionsAt("/proc/self/maps", {1, 2}), (std::vector<std::string>{"", ""}));
  EXPECT_EQ(FunctionsAt("/nowhere", {1}), std::vector<std::string>{""});
}

TEST(ElfSymbols, ADamagedFileIsSurvived) {
  const std::string path = testing::TempDir() + "damaged.so";
  std::ifstream whole("/proc/self/exe", std::ios::binary);
  std::string bytes(4096, '\0');
  whole.read(bytes.data(), 4096);
  for (const std::size_t length : {std::size_t{20}, std::size_t{64}, std::size_t{2048}, std::size_t{4096}}) {
    std::ofstream(path, std::ios::binary) << bytes.substr(0, length);
    EXPECT_EQ(FunctionsAt(path, {100}), std::vector<std::string>{""}) << length;
  }
}

}  // namespace
}  // namespace kgym::judge
