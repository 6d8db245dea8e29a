#include "judge/elf_symbols.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <bit>
#include <cstring>
#include <span>
#include <string_view>

#include "base/fd.h"

namespace kgym::judge {
namespace {

/// A file's bytes, and the parts of it that the tables name, where they lie within it.
class ElfFile {
 public:
  explicit ElfFile(const std::string& path) {
    const Fd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
    struct stat found {};
    if (!fd.valid() || ::fstat(fd.get(), &found) != 0 || !S_ISREG(found.st_mode) || found.st_size <= 0) return;
    size_ = static_cast<std::size_t>(found.st_size);
    void* map = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, fd.get(), 0);
    if (map != MAP_FAILED) bytes_ = static_cast<const char*>(map);
  }
  ~ElfFile() {
    if (bytes_ != nullptr) ::munmap(const_cast<char*>(bytes_), size_);
  }
  ElfFile(const ElfFile&) = delete;
  ElfFile& operator=(const ElfFile&) = delete;

  /// Nothing where it is no ELF file that can be read here.
  const Elf64_Ehdr* header() const {
    const std::span<const Elf64_Ehdr> found = Table<Elf64_Ehdr>(0, sizeof(Elf64_Ehdr));
    if (found.empty() || std::memcmp(found[0].e_ident, ELFMAG, SELFMAG) != 0) return nullptr;
    const unsigned char order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
    const bool ours = found[0].e_ident[EI_CLASS] == ELFCLASS64 && found[0].e_ident[EI_DATA] == order;
    return ours ? &found[0] : nullptr;
  }

  template <typename Entry>
  std::span<const Entry> Table(std::uint64_t offset, std::uint64_t length) const {
    if (bytes_ == nullptr || offset > size_ || length > size_ - offset || offset % alignof(Entry) != 0) return {};
    return {reinterpret_cast<const Entry*>(bytes_ + offset), length / sizeof(Entry)};
  }

 private:
  const char* bytes_ = nullptr;
  std::size_t size_ = 0;
};

struct Wanted {
  std::uint64_t address = 0;
  std::size_t index = 0;  // Of the caller's list.
};

/// The addresses at which a loaded file has these offsets, in order.
std::vector<Wanted> AddressesOf(std::span<const Elf64_Phdr> segments, const std::vector<std::uint64_t>& offsets) {
  std::vector<Wanted> wanted;
  for (std::size_t i = 0; i < offsets.size(); ++i) {
    const auto holds = [at = offsets[i]](const Elf64_Phdr& segment) {
      return segment.p_type == PT_LOAD && at >= segment.p_offset && at - segment.p_offset < segment.p_filesz;
    };
    const auto segment = std::ranges::find_if(segments, holds);
    if (segment != segments.end()) wanted.push_back({offsets[i] - segment->p_offset + segment->p_vaddr, i});
  }
  std::ranges::sort(wanted, {}, &Wanted::address);
  return wanted;
}

std::string NameIn(std::span<const char> strings, std::uint64_t at) {
  if (at >= strings.size()) return "";
  const std::string_view rest(strings.data() + at, strings.size() - at);
  return std::string(rest.substr(0, rest.find('\0')));
}

}  // namespace

std::vector<std::string> FunctionsAt(const std::string& path, const std::vector<std::uint64_t>& offsets) {
  std::vector<std::string> names(offsets.size());
  const ElfFile file(path);
  const Elf64_Ehdr* header = file.header();
  if (header == nullptr) return names;
  const auto sections = file.Table<Elf64_Shdr>(header->e_shoff, std::uint64_t{header->e_shnum} * sizeof(Elf64_Shdr));
  const auto symbols = std::ranges::find(sections, Elf64_Word{SHT_DYNSYM}, &Elf64_Shdr::sh_type);
  if (symbols == sections.end() || symbols->sh_link >= sections.size()) return names;
  const Elf64_Shdr& text = sections[symbols->sh_link];
  const std::span<const char> strings = file.Table<char>(text.sh_offset, text.sh_size);
  const std::vector<Wanted> wanted = AddressesOf(
      file.Table<Elf64_Phdr>(header->e_phoff, std::uint64_t{header->e_phnum} * sizeof(Elf64_Phdr)), offsets);
  for (const Elf64_Sym& symbol : file.Table<Elf64_Sym>(symbols->sh_offset, symbols->sh_size)) {
    if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
    auto one = std::ranges::lower_bound(wanted, symbol.st_value, {}, &Wanted::address);
    for (; one != wanted.end() && one->address - symbol.st_value < symbol.st_size; ++one)
      names[one->index] = NameIn(strings, symbol.st_name);
  }
  return names;
}

}  // namespace kgym::judge
