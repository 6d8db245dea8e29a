// A machine that builds for others: a zygote and builder hosts, no lane, no device.
//
// It can be of use to a lane elsewhere where both have the same salt: runner, versions, processor, architecture.
//
// Threads: the executor it was made on. Builds run at once up to `judge.build_jobs`.
#pragma once

#include <memory>
#include <string>

#include "judge/build.h"
#include "judge/judge_config.h"
#include "judge/runtime.h"
#include "judge/zygote.h"

namespace kgym::judge {

class Builder {
 public:
  /// `arch`: of the cards that it builds for, such as "90"; empty: for CPU lanes. An error says what is missing here.
  static Awaitable<Result<std::unique_ptr<Builder>>> Start(Executor executor, JudgeConfig config, std::string arch);

  /// What the submission's build left, or how it failed, as a judge's own build would.
  Awaitable<Result<Built>> Make(Submission submission);

  std::string Key(const Submission& submission) const { return cache_->Key(submission); }

  /// See BuildMark().
  const std::string& mark() const { return mark_; }
  /// Backends that have a build, all of whose tools are here.
  const std::vector<std::string>& backends() const { return backends_; }
  const Json& versions() const { return zygote_->versions(); }

 private:
  Builder(Executor executor, JudgeConfig config, Runtime runtime, BuildGround ground);

  Executor executor_;
  JudgeConfig config_;
  Runtime runtime_;
  BuildGround ground_;
  AsyncSemaphore turn_;
  std::unique_ptr<Zygote> zygote_;
  std::unique_ptr<BuildCache> cache_;
  std::string mark_;
  std::vector<std::string> backends_;
};

}  // namespace kgym::judge
