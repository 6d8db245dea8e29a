#include "judge/cgroup_folder.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/text.h"

namespace kgym::judge {
namespace {

namespace fs = std::filesystem;

bool WriteLine(const std::string& path, const std::string& text) {
  std::ofstream file(path);
  file << text;
  file.flush();
  return file.good();
}

std::string ReadText(const std::string& path) {
  std::ifstream file(path);
  std::stringstream text;
  text << file.rdbuf();
  return text.str();
}

struct Hierarchy {
  std::string name;    // "v2", "v1:memory", "v1:pids", "v1:cpuacct"
  std::string parent;  // Where our folders go.
};

/// Whether a folder can be made there, has the limit's file, and lets itself be written.
bool Works(const Hierarchy& hierarchy, const std::vector<std::string>& files) {
  const std::string probe = hierarchy.parent + "/kgym-probe-" + std::to_string(::getpid());
  std::error_code error;
  if (!fs::create_directory(probe, error)) return false;
  const bool found =
      std::ranges::all_of(files, [&](const std::string& f) { return ::access((probe + "/" + f).c_str(), W_OK) == 0; });
  fs::remove(probe, error);
  return found;
}

/// Controllers of version 1, and the file that shows that one works.
constexpr std::pair<const char*, const char*> kVersion1[] = {
    {"memory", "memory.limit_in_bytes"}, {"pids", "pids.max"}, {"cpuacct", "cpuacct.usage"}};

std::vector<Hierarchy> Find() {
  std::vector<Hierarchy> found;
  std::ifstream mounts("/proc/self/mounts");
  std::string device, where, type, options, rest;
  while (mounts >> device >> where >> type >> options && std::getline(mounts, rest)) {
    if (type == "cgroup2") {
      WriteLine(where + "/cgroup.subtree_control", "+memory +pids");
      const Hierarchy v2{"v2", where};
      if (Works(v2, {"memory.max", "pids.max"})) return {v2};
    }
    if (type != "cgroup") continue;
    for (const auto& [controller, file] : kVersion1) {
      if (("," + options + ",").find(Concat(",", controller, ",")) == std::string::npos) continue;
      const Hierarchy v1{Concat("v1:", controller), where};
      if (Works(v1, {file})) found.push_back(v1);
    }
  }
  return found;
}

const std::vector<Hierarchy>& Usable() {
  static const std::vector<Hierarchy> usable = Find();
  return usable;
}

Awaitable<void> RemoveLater(std::vector<std::string> folders) {
  for (Duration wait = 1ms; !folders.empty() && wait < 4s; wait *= 2) {
    co_await SleepFor(wait);
    std::erase_if(folders, [](const std::string& folder) { return ::rmdir(folder.c_str()) == 0 || errno == ENOENT; });
  }
}

}  // namespace

std::vector<std::string> UsableCgroups() {
  std::vector<std::string> names;
  for (const Hierarchy& h : Usable()) names.push_back(h.name);
  return names;
}

std::vector<std::string> MakeCgroups(const std::string& name, const CgroupLimits& limits) {
  std::vector<std::string> folders;
  for (const Hierarchy& hierarchy : Usable()) {
    const std::string folder = hierarchy.parent + "/kgym-" + name;
    std::error_code error;
    if (!fs::create_directory(folder, error)) continue;
    folders.push_back(folder);
    const std::string memory = std::to_string(limits.memory_bytes), processes = std::to_string(limits.processes);
    if (hierarchy.name == "v2") {
      WriteLine(folder + "/memory.max", memory);
      WriteLine(folder + "/memory.swap.max", "0");
      WriteLine(folder + "/pids.max", processes);
    } else if (hierarchy.name == "v1:memory") {
      WriteLine(folder + "/memory.limit_in_bytes", memory);
      WriteLine(folder + "/memory.memsw.limit_in_bytes", memory);
    } else if (hierarchy.name == "v1:pids") {
      WriteLine(folder + "/pids.max", processes);
    }
  }
  return folders;
}

bool CgroupKilledForMemory(const std::vector<std::string>& folders) {
  for (const std::string& folder : folders) {
    for (const char* file : {"/memory.oom_control", "/memory.events"}) {
      std::istringstream lines(ReadText(folder + file));
      std::string key;
      long long count = 0;
      while (lines >> key >> count) {
        if (key == "oom_kill" && count > 0) return true;
      }
    }
  }
  return false;
}

void RemoveCgroups(const Executor& executor, std::vector<std::string> folders) {
  std::erase_if(folders, [](const std::string& folder) { return ::rmdir(folder.c_str()) == 0; });
  if (!folders.empty()) Spawn(executor, RemoveLater(std::move(folders)));
}

}  // namespace kgym::judge
