#include "apps/kgym/run.h"

#include <algorithm>
#include <boost/asio/io_context.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/system/system_error.hpp>
#include <csignal>
#include <memory>
#include <optional>
#include <vector>

#include "apps/kgym/console.h"
#include "base/config.h"
#include "base/text.h"
#include "judge/extensions.h"

namespace kgym::app {
namespace {

namespace asio = boost::asio;

Awaitable<void> Worker(std::size_t& next, std::size_t count, const std::function<Awaitable<void>(std::size_t)>& body) {
  while (next < count) co_await body(next++);
}

}  // namespace

Result<judge::JudgeConfig> LoadConfig(const ConfigSource& source) {
  judge::JudgeConfig config;
  ConfigFields fields(config);
  if (!source.file.empty()) KGYM_TRY_VOID(fields.LoadYaml(source.file));
  for (const std::string& assignment : source.set) KGYM_TRY_VOID(fields.Override(assignment));
  if (const std::string fault = config.Fault(); !fault.empty()) return Error{"config: " + fault};
  KGYM_TRY_VOID(judge::Extensions::Read(config.extensions));  // So that a fault in it is bad input, said at once.
  return config;
}

int WithJudge(judge::JudgeConfig config, bool json, std::function<Awaitable<int>(judge::Judge&)> use) {
  const auto failed = [json](const Error& error) -> int {
    Complain(Concat("the judge did not start: ", error.message, "; `kgym doctor` says more"), json);
    return kOurFault;
  };
  return WithJudge(std::move(config), std::move(use), failed);
}

int WithJudge(judge::JudgeConfig config, std::function<Awaitable<int>(judge::Judge&)> use,
              std::function<int(const Error&)> failed) {
  asio::io_context io(1);
  int code = kOurFault;
  const auto life = [&]() -> Awaitable<void> {
    std::unique_ptr<judge::Judge> judge;
    const auto work = [&]() -> Awaitable<int> {
      auto started = co_await judge::Judge::Start(io.get_executor(), std::move(config));
      const auto cancelled = co_await asio::this_coro::cancellation_state;
      if (cancelled.cancelled() != asio::cancellation_type::none) co_return kInterrupted;
      if (!started.ok()) co_return failed(started.error());
      judge = std::move(*started);
      co_return co_await use(*judge);
    };
    Awaitable<int> working = work();
    code = co_await UntilSignal(std::move(working));
    if (code == kInterrupted) Complain("interrupted", false);
    if (judge) co_await judge->Close();
  };
  Spawn(io.get_executor(), life());
  io.run();
  return code;
}

Awaitable<int> UntilSignal(Awaitable<int> work) {
  const auto executor = co_await asio::this_coro::executor;
  asio::signal_set signals(executor, SIGINT, SIGTERM);
  auto race = asio::experimental::make_parallel_group(asio::co_spawn(executor, std::move(work), asio::deferred),
                                                      signals.async_wait(asio::deferred));
  auto [order, failure, value, signal_code, signal] =
      co_await race.async_wait(asio::experimental::wait_for_one(), asio::use_awaitable);
  if (order[0] == 1 && !signal_code) co_return kInterrupted;
  if (failure) std::rethrow_exception(failure);
  co_return value;
}

Awaitable<void> ForEach(std::size_t count, int jobs, std::function<Awaitable<void>(std::size_t)> body) {
  const auto executor = co_await asio::this_coro::executor;
  std::size_t next = 0;
  const auto start = [&] { return asio::co_spawn(executor, Worker(next, count, body), asio::deferred); };
  std::vector<decltype(start())> workers;
  for (std::size_t i = 0; i < std::min(count, static_cast<std::size_t>(jobs)); ++i) workers.push_back(start());
  if (workers.empty()) co_return;
  auto group = asio::experimental::make_parallel_group(std::move(workers));
  auto [order, failures] = co_await group.async_wait(asio::experimental::wait_for_all(), asio::use_awaitable);
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace kgym::app
