#include "judge/runtime.h"

#include <unistd.h>

#include <cstdlib>

#include "base/embedded.h"
#include "base/hash.h"

namespace kgym::judge {

namespace fs = std::filesystem;

Result<Runtime> Runtime::Unpack() {
  Runtime runtime;
  Sha256 hash;
  for (const EmbeddedFile& file : EmbeddedFiles()) hash.Field(file.path).Field(file.bytes);
  runtime.hash_ = hash.FinishHex();
  if (const char* folder = std::getenv("KGYM_RUNNER"); folder != nullptr && *folder != '\0') {
    runtime.folder_ = fs::absolute(folder);
    if (!fs::exists(runtime.folder_ / "kgym_runner"))
      return Error{"KGYM_RUNNER: '" + std::string(folder) + "' holds no folder kgym_runner"};
    return runtime;
  }
  KGYM_TRY(runtime.unpacked_, TempDir::Create("kgym-runner-"));
  runtime.folder_ = runtime.unpacked_->path();
  for (const EmbeddedFile& file : EmbeddedFiles()) {
    const fs::path path =
        runtime.folder_ / (file.path == "_probe.abi3.so" ? "kgym_runner/_probe.abi3.so" : std::string(file.path));
    KGYM_TRY_VOID(MakeFolders(path.parent_path()));
    KGYM_TRY_VOID(WriteFileAtomic(path, file.bytes));
  }
  // Hosts read it as another user.
  std::error_code ignored;
  fs::permissions(runtime.folder_,
                  fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec | fs::perms::others_read |
                      fs::perms::others_exec,
                  ignored);
  return runtime;
}

std::string FindPython(const std::string& configured) {
  if (!configured.empty()) return configured;
  if (const char* python = std::getenv("KGYM_PYTHON"); python != nullptr && *python != '\0') return python;
  std::error_code error;
  const fs::path binary = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& base : {fs::current_path(error), binary.parent_path(), binary.parent_path().parent_path(),
                               binary.parent_path().parent_path().parent_path()}) {
    const fs::path python = base / ".venv/bin/python";
    if (::access(python.c_str(), X_OK) == 0) return python;
  }
  return "python3";
}

}  // namespace kgym::judge
