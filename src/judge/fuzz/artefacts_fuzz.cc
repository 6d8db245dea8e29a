// What a builder host hands back: an answer that names artefacts, and descriptors of anything beside it.
//
// The first line is the answer's JSON. Each other line is a descriptor: m and the bytes of a memfd; s and the size of
// one that is all holes; p, d, n, u for a pipe, a folder, /dev/null, a socket; c for one that is closed.
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <charconv>

#include "base/check.h"
#include "judge/build.h"
#include "judge/fuzz/fake_side.h"
#include "judge/fuzz/target.h"

namespace kgym::judge::fuzz {
namespace {

constexpr std::size_t kMost = std::size_t{1} << 20;  // Less than the judge takes, for the sake of speed.

Fd Holes(std::string_view digits) {
  std::int64_t size = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), size);
  Fd memfd = CreateMemfd("fuzz").value();
  if (::ftruncate(memfd.get(), size) != 0) return Fd(::open("/dev/null", O_RDONLY | O_CLOEXEC));
  return memfd;
}

Fd Memfd(std::string_view bytes) {
  Fd memfd = CreateMemfd("fuzz").value();
  KGYM_CHECK(WriteAll(memfd.get(), bytes).ok());
  return memfd;
}

Fd PipeEnd() {
  int ends[2];
  KGYM_CHECK(::pipe2(ends, O_CLOEXEC) == 0);
  ::close(ends[1]);
  return Fd(ends[0]);
}

Fd Descriptor(std::string_view line) {
  switch (line.empty() ? 'c' : line[0]) {
    case 'm':
      return Memfd(line.substr(1));
    case 's':
      return Holes(line.substr(1));
    case 'p':
      return PipeEnd();
    case 'd':
      return Fd(::open("/", O_RDONLY | O_DIRECTORY | O_CLOEXEC));
    case 'n':
      return Fd(::open("/dev/null", O_RDWR | O_CLOEXEC));
    case 'u':
      return Fd(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    default:
      return Fd();
  }
}

bool IsSealed(const Fd& file) {
  constexpr int kAll = F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE | F_SEAL_SEAL;
  return (::fcntl(file.get(), F_GET_SEALS) & kAll) == kAll;
}

void Check(const Artefacts& artefacts) {
  KGYM_CHECK(artefacts.keys.size() == artefacts.files.size());
  std::size_t sum = 0;
  for (std::size_t i = 0; i < artefacts.keys.size(); ++i) {
    const std::string& key = artefacts.keys[i];
    KGYM_CHECK(key.size() == 64 && key.find_first_not_of("0123456789abcdef") == std::string::npos) << key;
    KGYM_CHECK(IsSealed(artefacts.files[i]));
    sum += ReadMemfd(artefacts.files[i].get(), kMost).value().size();
  }
  KGYM_CHECK(sum <= kMost);
}

void Run(std::string_view input) {
  Result<Json> body = ParseJson(TakeUntil(input, '\n'));
  if (!body.ok()) return;
  Answer answer;
  answer.body = std::move(*body);
  while (!input.empty() && answer.fds.size() < 64) answer.fds.push_back(Descriptor(TakeUntil(input, '\n')));
  const Result<Artefacts> artefacts = TakeArtefacts(std::move(answer), kMost);
  if (artefacts.ok()) return Check(*artefacts);
  KGYM_CHECK(!artefacts.error().message.empty());
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  const int before = LowestFree();
  Run(Bytes(data, size));
  KGYM_CHECK(LowestFree() == before) << "descriptors leak";
  return 0;
}
