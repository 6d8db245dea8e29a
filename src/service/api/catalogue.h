// The problems that a submission may name: a suite, read once.
//
// Threads: made before others use it, constant afterwards.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "judge/suite.h"

namespace kgym::service {

class Catalogue {
 public:
  /// Without problems: submissions then bring their own.
  Catalogue() = default;

  static Result<Catalogue> Read(judge::SuiteKind kind, const std::filesystem::path& root);

  /// An error names what is nearest.
  Result<judge::Problem> Find(const std::string& name) const;

  /// {"name", "sentence", "workloads"} of each.
  const Json& outlines() const { return outlines_; }
  std::size_t size() const { return names_.size(); }

 private:
  std::vector<std::string> names_;
  std::map<std::string, judge::Problem> problems_;
  Json outlines_ = Json::array();
};

}  // namespace kgym::service
