// Control groups for hosts, made by the judge: a folder for each host in each hierarchy that can limit it or counts its
// CPU time.
//
// Version 2 where its controllers are delegated to us, version 1 where those are mounted and writable, none otherwise;
// the sandbox's report says which. A host joins its folders itself, before it starts anything.
//
// Threads: the executor; nothing here blocks for long (the files are the kernel's).
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "base/async.h"

namespace kgym::judge {

struct CgroupLimits {
  std::int64_t memory_bytes = 0;
  std::int64_t processes = 0;
};

/// The hierarchies that work here, found once: "v2", "v1:memory", "v1:pids", "v1:cpuacct".
std::vector<std::string> UsableCgroups();

/// Folders for one host with its limits set; empty where none can be made.
std::vector<std::string> MakeCgroups(const std::string& name, const CgroupLimits& limits);

bool CgroupKilledForMemory(const std::vector<std::string>& folders);

/// Removes the folders as soon as they are empty: tries now, and again a few times as their processes end.
void RemoveCgroups(const Executor& executor, std::vector<std::string> folders);

}  // namespace kgym::judge
