// What one step of the sandbox reached, and the report that a chain of steps leaves behind.
//
// A step never throws and never stops the chain: where the kernel or our privileges lack a feature it says so (`none`,
// or `partial` with what is missing) and the next step runs. The caller decides what is enough: see `Report::Weakest`.
//
// Threads: plain values. Everything in this folder is meant for the main thread of a process that has forked, or is
// about to; it uses libc and system calls only.
#pragma once

#include <string>
#include <vector>

namespace kgym::judge::sandbox {

enum class Level { kNone, kPartial, kFull };

const char* ToString(Level level);

struct Step {
  std::string name;
  Level level = Level::kNone;
  std::string detail;  // What was done, or what is missing and why.
};

Step Full(std::string name, std::string detail = "");
Step Partial(std::string name, std::string detail);
Step None(std::string name, std::string detail);
/// `none`, with the text of the current errno after `what`.
Step Failed(std::string name, const std::string& what);

/// "what: text of errno (NAME)".
std::string ErrnoText(const std::string& what);

struct Report {
  std::vector<Step> steps;

  void Add(Step step) { steps.push_back(std::move(step)); }
  void Add(std::vector<Step> more);

  Level level() const;          // full: every step is; none: none is; partial otherwise.
  const Step* Weakest() const;  // The first step that is not full; null where all are.
  std::string ToJson() const;   // {"level": "full", "steps": [{"name": ..., "level": ..., "detail": ...}]}
};

}  // namespace kgym::judge::sandbox
