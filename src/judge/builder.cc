#include "judge/builder.h"

#include "base/text.h"
#include "judge/judge.h"

namespace kgym::judge {

Builder::Builder(Executor executor, JudgeConfig config, Runtime runtime, BuildGround ground)
    : executor_(executor),
      config_(std::move(config)),
      runtime_(std::move(runtime)),
      ground_(std::move(ground)),
      turn_(executor, static_cast<std::size_t>(config_.build_jobs)) {}

Awaitable<Result<std::unique_ptr<Builder>>> Builder::Start(Executor executor, JudgeConfig config, std::string arch) {
  if (const std::string fault = config.Fault(); !fault.empty()) co_return Error{"config: " + fault};
  KGYM_CO_TRY(Runtime runtime, Runtime::Unpack());
  const BuildGround ground{{}, arch.empty() ? "cpu" : "cuda", arch};
  std::unique_ptr<Builder> builder(new Builder(executor, config.Completed(), std::move(runtime), ground));
  Zygote::Options options;
  options.python = FindPython(builder->config_.python);
  options.modules = HostModules();
  options.strict = builder->config_.sandbox == SandboxLevel::kStrict;
  options.environment = {"CUDA_VISIBLE_DEVICES="};
  if (arch.empty()) options.environment.push_back("TRITON_INTERPRET=1");
  KGYM_CO_TRY(builder->zygote_, co_await Zygote::Start(executor, builder->runtime_, std::move(options)));
  const std::string salt = BuildSalt(builder->zygote_->versions(), builder->runtime_.hash(), ground);
  builder->mark_ = BuildMark(salt);
  builder->cache_ = std::make_unique<BuildCache>(CacheFolder(builder->config_.cache) / "builds", salt);
  for (const auto& [name, facts] : builder->zygote_->backends().items()) {
    if (facts.value("needs_build", false) && facts.value("missing", Json::array()).empty())
      builder->backends_.push_back(name);
  }
  if (builder->backends_.empty())
    co_return Error{"no backend can be built here: each lacks a tool; `kgym doctor` says which"};
  co_return builder;
}

Awaitable<Result<Built>> Builder::Make(Submission submission) {
  const auto turn = co_await turn_.Acquire();
  std::string log;
  co_return co_await Build(*zygote_, *cache_, nullptr, config_, ground_, submission, log);
}

}  // namespace kgym::judge
