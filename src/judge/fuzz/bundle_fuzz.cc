// Replay bundles come from strangers. The first byte says whether the rest is a bundle's file, or the JSON in one.
#include <zstd.h>

#include <string>

#include "base/check.h"
#include "judge/bundle.h"
#include "judge/fuzz/target.h"

namespace kgym::judge::fuzz {
namespace {

std::string Compressed(std::string_view text) {
  std::string bytes(ZSTD_compressBound(text.size()), '\0');
  bytes.resize(ZSTD_compress(bytes.data(), bytes.size(), text.data(), text.size(), 1));
  return bytes;
}

/// Whatever could be read is written and read again as the same.
void Check(std::string_view file) {
  const Result<Bundle> bundle = UnpackBundle(file, "bundle");
  if (!bundle.ok()) {
    KGYM_CHECK(!bundle.error().message.empty());
    return;
  }
  const std::string packed = PackBundle(*bundle);
  const Result<Bundle> again = UnpackBundle(packed, "bundle");
  KGYM_CHECK(again.ok()) << again.error().message;
  KGYM_CHECK(again->problem.Hash() == bundle->problem.Hash());
  KGYM_CHECK(again->submission.Hash() == bundle->submission.Hash());
  KGYM_CHECK(PackBundle(*again) == packed);
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  if (size == 0) return 0;
  const std::string_view rest = Bytes(data, size).substr(1);
  Check(data[0] == 'z' ? std::string(rest) : Compressed(rest));
  return 0;
}
