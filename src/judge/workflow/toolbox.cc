#include "judge/workflow/toolbox.h"

#include <algorithm>

#include "base/log.h"
#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {
namespace {

Awaitable<Status> LoadAdapter(Host& host, const Json& backend, Duration limit) {
  Json request = {{"op", "adapter"}, {"name", backend["name"]}};
  const Answer answer = co_await host.Call(std::move(request), {}, limit);
  if (answer.what == Answer::What::kDone) co_return Ok();
  const bool said = answer.what == Answer::What::kFailed;
  co_return Error{Concat(backend["adapter"]["path"].get<std::string>(), ": ",
                         said ? ClaimedText(answer.body, "message") : answer.detail)};
}

}  // namespace

Awaitable<Result<std::unique_ptr<Toolbox>>> Toolbox::Open(Lane& lane, const JudgeConfig& config,
                                                          Extensions extensions) {
  std::unique_ptr<Toolbox> box(new Toolbox(lane, config));
  KGYM_CO_TRY_VOID(co_await box->LoadAll(extensions));
  for (const Extensions::File& file : extensions.workflows) {
    KGYM_CO_TRY(Workflow workflow, box->Read(file));
    box->workflows_.push_back(std::move(workflow));
  }
  co_return box;
}

Awaitable<Status> Toolbox::LoadAll(const Extensions& extensions) {
  const bool adapters =
      std::ranges::any_of(extensions.backends, [](const Json& one) { return !one["adapter"].is_null(); });
  if (extensions.toolkits.empty() && !adapters) co_return Ok();
  KGYM_CO_TRY(const std::unique_ptr<Host> host, co_await lane_.TakeCandidate(config_.limits));
  for (const Extensions::File& file : extensions.toolkits) {
    Toolkit toolkit{file.path, file.text, {}};
    KGYM_CO_TRY(toolkit.signature, co_await DescribeToolkit(*host, file.name, toolkit, config_.limits.load));
    signatures_.push_back(toolkit.signature);
    toolkits_.push_back(std::move(toolkit));
  }
  for (const Json& backend : extensions.backends) {
    if (!backend["adapter"].is_null()) KGYM_CO_TRY_VOID(co_await LoadAdapter(*host, backend, config_.limits.load));
  }
  co_await host->End();
  co_return Ok();
}

Awaitable<StepRecord> Toolbox::Run(const Step& step, const Json& input) {
  const auto place = std::ranges::find(signatures_, step.toolkit, &Signature::name) - signatures_.begin();
  const Toolkit& toolkit = toolkits_[static_cast<std::size_t>(place)];
  std::string fault;
  for (int attempt = 1; attempt <= 2; ++attempt) {
    const AsyncSemaphore::Permit turn = co_await lane_.Acquire();
    Result<StepRecord> record = co_await RunToolkit(lane_, config_, toolkit, step, input);
    lane_.Refill();
    if (record.ok()) co_return std::move(*record);
    fault = record.error().message;
    LogWarning(Concat("step '", step.name, "': attempt ", attempt, ": ", fault));
  }
  StepRecord record;
  record.state = StepRecord::State::kFailed;
  record.outcome = Outcome::kInfra;
  record.reason = std::move(fault);
  co_return record;
}

}  // namespace kgym::judge
