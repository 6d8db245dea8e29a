// The toolkits and workflows of one judge: read, asked what they take, checked, and run on its lane.
//
// Threads: the lane's executor.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "judge/extensions.h"
#include "judge/lane.h"
#include "judge/workflow/toolkit.h"
#include "judge/workflow/workflow.h"

namespace kgym::judge {

class Toolbox {
 public:
  /// Loads every toolkit and installs every adapter once, in a candidate host, and checks every workflow. An error
  /// names the file and what is wrong with it. `lane` and `config` must outlive the toolbox.
  static Awaitable<Result<std::unique_ptr<Toolbox>>> Open(Lane& lane, const JudgeConfig& config, Extensions extensions);

  const std::vector<Signature>& toolkits() const { return signatures_; }
  const std::vector<Workflow>& workflows() const { return workflows_; }

  /// A workflow of a file that need not be in the folder.
  Result<Workflow> Read(const Extensions::File& file) const { return ReadWorkflow(file.json, file.path, signatures_); }

  /// One step whose toolkit is in the box, in a host of its own. What failed by our own fault is tried once more.
  Awaitable<StepRecord> Run(const Step& step, const Json& input);

 private:
  Toolbox(Lane& lane, const JudgeConfig& config) : lane_(lane), config_(config) {}

  Awaitable<Status> LoadAll(const Extensions& extensions);

  Lane& lane_;
  const JudgeConfig& config_;
  std::vector<Toolkit> toolkits_;
  std::vector<Signature> signatures_;  // Of each.
  std::vector<Workflow> workflows_;
};

}  // namespace kgym::judge
