// A verdict case, as docs/cases.md has it: a submission, a problem, and what must come of it.
//
// Threads: main. Reads small files; Differences is pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "apps/kgym/input.h"
#include "base/json.h"
#include "base/result.h"

namespace kgym::app {

struct Case {
  std::string name;  // Its folder, below the folder that was searched.
  Task task;
  Json config = Json::object();  // Changes of the judge's configuration, by dotted key.
  std::vector<std::string> devices;
  std::vector<std::string> expect;  // Outcomes of which any will do.
  Json evidence = Json::object();   // Dotted path into the verdict -> what is expected there.
  std::string why;

  bool RunsOn(const std::string& device) const;
};

/// An error reads "<file>: ...".
Result<Case> ReadCase(const std::filesystem::path& file, const std::filesystem::path& searched, ProblemFinder& finder);

/// What of the verdict is not as expected, a sentence each; empty where all is.
std::vector<std::string> Differences(const Case& expected, const Json& verdict);

}  // namespace kgym::app
