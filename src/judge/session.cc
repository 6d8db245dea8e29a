#include "judge/session.h"

#include "base/ids.h"
#include "base/text.h"
#include "judge/claims.h"

namespace kgym::judge {

Awaitable<Result<Json>> Session::AskReference(Json request, Duration limit) {
  const std::string op = request.value("op", "?");
  const Instant start = std::chrono::steady_clock::now();
  Answer answer = co_await reference_.Call(std::move(request), {}, limit);
  Note(op, answer.received - start);
  if (answer.what == Answer::What::kDone) {
    problem_code_ += Duration(static_cast<std::int64_t>(ClaimedNumber(answer.body, "code_ns")));
    co_return std::move(answer.body);
  }
  const std::string said = answer.what == Answer::What::kFailed ? ClaimedText(answer.body, "message") : answer.detail;
  co_return Error{Concat("the reference host failed at '", op, "': ", said, " ",
                         reference_.output().tail().empty() ? reference_.output().head() : reference_.output().tail())};
}

Awaitable<Answer> Session::AskCandidate(Json request, std::vector<int> fds, Duration limit) {
  WatchIdle(false);
  const Instant start = std::chrono::steady_clock::now();
  const auto scaled = std::chrono::duration_cast<Duration>(limit * limit_scale_);
  const std::string op = request.value("op", "?");
  Answer answer = co_await candidate_.Call(std::move(request), std::move(fds), scaled);
  Note("candidate:" + op, answer.received - start);
  if (op != "observe" && op != "settle" && op != "inspect") code_ += answer.received - start;
  WatchIdle(true);
  co_return answer;
}

void Session::Note(const std::string& op, Duration time) {
  Asked& asked = asked_[op];
  ++asked.count;
  asked.time += time;
}

Json Session::Spent() const {
  Json spent = Json::object();
  for (const auto& [op, asked] : asked_) spent[op] = {{"count", asked.count}, {"ms", ToMs(asked.time)}};
  return spent;
}

void Session::WatchIdle(bool idle) {
  const Instant now = std::chrono::steady_clock::now();
  if (idle_ && !idle) {
    idle_wall_ += now - idle_since_;
    idle_cpu_ += Duration(candidate_.CpuNs() - idle_cpu_start_);
  }
  if (idle && !idle_) {
    idle_since_ = now;
    idle_cpu_start_ = candidate_.CpuNs();
  }
  idle_ = idle;
}

Awaitable<Result<MaybeRuling>> Session::Begin(int slots) {
  // A byte that is unlikely in honest data: the allocator fills fresh memory with it or its complement.
  pattern_ = 0x91 + static_cast<int>(RandomU64() % 13);
  poison_ = 0xA1 + static_cast<int>(RandomU64() % 13);
  const Json request = {{"op", "begin"},
                        {"slots", slots},
                        {"max_bytes", std::int64_t{config_.limits.arena_mb} << 20},
                        {"honeypot_seed", RandomU64() >> 1}};
  Answer answer = co_await reference_.Call(request, {}, config_.limits.open);
  if (answer.what != Answer::What::kDone || answer.fds.size() != 1)
    co_return Error{"the reference host could not make an arena: " + answer.detail +
                    ClaimedText(answer.body, "message")};
  begun_ = std::move(answer.body);
  KGYM_CO_TRY(const std::int64_t made, GetInt(begun_, "slots"));
  slots_ = static_cast<int>(made);
  const Json attach = {{"op", "attach"}, {"length", begun_["length"]}, {"memory_bytes", ground_.candidate_bytes}};
  std::vector<int> arena = {answer.fds[0].get()};
  const Answer attached = co_await candidate_.Call(attach, std::move(arena), config_.limits.start);
  if (attached.what != Answer::What::kDone)
    co_return Error{"a candidate host could not map the arena: " + attached.detail};
  co_return MaybeRuling{};
}

Awaitable<Result<std::vector<Filled>>> Session::Fill(std::vector<Set> sets) {
  Json rows = Json::array();
  for (const Set& set : sets) {
    Json row = {{"slot", set.slot}, {"kind", set.kind}};
    // One secret seed is enough for all sets of a request: the generators go on from it.
    if (set.seed || rows.empty()) row["seed"] = set.seed.value_or(RandomU64() >> 1);
    if (set.from >= 0) row["from"] = set.from;
    rows.push_back(std::move(row));
  }
  Json request = {{"op", "fill"}, {"sets", std::move(rows)}, {"poison", poison_}};
  KGYM_CO_TRY(Json reply, co_await AskReference(std::move(request), config_.limits.open));
  std::vector<Filled> filled;
  for (std::size_t i = 0; i < sets.size(); ++i)
    filled.push_back({sets[i].slot, reply["inputs"][i], reply["outputs"][i]});
  co_return filled;
}

Awaitable<Status> Session::Refill(std::vector<int> slots) {
  Json request = {{"op", "refill"}, {"slots", slots}, {"poison", poison_}};
  Result<Json> reply = co_await AskReference(std::move(request), config_.limits.open);
  if (!reply.ok()) co_return reply.error();
  co_return Ok();
}

Awaitable<Result<Json>> Session::Check(int slot, const Json& outputs) {
  Json request = {{"op", "check"}, {"slot", slot}, {"outputs", outputs}, {"pattern", pattern_}};
  const Instant start = std::chrono::steady_clock::now();
  Answer answer = co_await reference_.Call(std::move(request), {}, config_.limits.open);
  Note("check", answer.received - start);
  if (answer.what == Answer::What::kDone) {
    problem_code_ += Duration(static_cast<std::int64_t>(ClaimedNumber(answer.body, "code_ns")));
    co_return std::move(answer.body);
  }
  // The one failure that a candidate can cause here: outputs that are described as something that cannot be.
  if (answer.what == Answer::What::kFailed && ClaimedText(answer.body, "kind") == "shape") {
    co_return Json{{"difference", {{"kind", "shape"}, {"message", answer.body["message"]}}},
                   {"changed_inputs", Json::array()},
                   {"facts", Json::object()}};
  }
  co_return Error{"the reference host failed at 'check': " + ClaimedText(answer.body, "message") + answer.detail};
}

}  // namespace kgym::judge
