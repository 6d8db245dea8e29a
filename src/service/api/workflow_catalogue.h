// The workflows that a submission may name: those of the folder of `judge.extensions`, read once.
//
// Only what a submission is checked against is read here, which needs no toolkit: so a server without lanes knows them
// too, where its configuration names the folder. Whether their steps are sound is looked at where a judge starts.
//
// Threads: made before others use it, constant afterwards.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "base/json.h"
#include "base/result.h"
#include "judge/extensions.h"
#include "judge/workflow/workflow.h"

namespace kgym::service {

class WorkflowCatalogue {
 public:
  /// Without workflows.
  WorkflowCatalogue() = default;

  /// An error names the file, the key, the value and what is expected.
  static Result<WorkflowCatalogue> Read(const std::filesystem::path& extensions);
  static Result<WorkflowCatalogue> Of(const std::vector<judge::Extensions::File>& workflows);

  /// An error names what is nearest. What it points to lives as long as the catalogue, and has no steps.
  Result<const judge::Workflow*> Find(const std::string& name) const;

  /// {"name", "description", "input": {field: type}} of each.
  Json outlines() const;

 private:
  std::vector<judge::Workflow> workflows_;
};

}  // namespace kgym::service
