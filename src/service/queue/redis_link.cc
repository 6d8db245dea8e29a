#include "service/queue/redis_link.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/text.h"
#include "service/queue/redis_script.h"
#include "service/queue/redis_settings.h"

namespace kgym::service {
namespace {

constexpr Duration kSilence = 30s;  // An answer that takes longer is taken for a lost connection.
constexpr Duration kFirstPause = 20ms;
constexpr Duration kLongestPause = 1s;
constexpr std::size_t kOperationsAtOnce = 200;  // Redis does nothing else meanwhile.

// How many of the calls go into one transaction: at least one.
std::size_t Fitting(std::span<const RedisCall> calls) {
  std::size_t operations = calls.front().operations.size();
  std::size_t count = 1;
  while (count < calls.size() && operations + calls[count].operations.size() <= kOperationsAtOnce) {
    operations += calls[count++].operations.size();
  }
  return count;
}

// A Redis that was restarted, or whose scripts were flushed.
bool LostItsScripts(const RedisReply& reply) { return reply.is_error() && reply.Text().starts_with("NOSCRIPT"); }

}  // namespace

RedisLink::RedisLink(RedisOptions options) : options_(std::move(options)), connection_(options_.address) {}

RedisLink::~RedisLink() {
  {
    const std::lock_guard lock(mutex_);
    closed_ = true;
  }
  closing_.notify_all();
  inbox_.Close();
  if (thread_.joinable()) thread_.join();
}

Status RedisLink::Start() {
  KGYM_TRY_VOID(Connect());
  thread_ = std::thread([this] { Serve(); });
  return Ok();
}

Status RedisLink::Connect() {
  KGYM_TRY_VOID(connection_.Open(kSilence));
  KGYM_TRY_VOID(CheckRedisSettings(connection_, options_.address, options_.allow_everysec));
  KGYM_TRY_VOID(CheckRedisProtocol(connection_, options_.address, options_.prefix));
  KGYM_TRY(const RedisAnswer loaded, connection_.Ask({"SCRIPT", "LOAD", kRedisScript}));
  script_ = RedisReply(loaded.get()).Text();
  return Ok();
}

void RedisLink::Serve() {
  for (Batch batch = inbox_.TakeAll(); !batch.empty(); batch = inbox_.TakeAll()) Run(batch);
}

void RedisLink::Run(Batch& batch) {
  const auto start = std::chrono::steady_clock::now();
  Duration pause = kFirstPause;
  std::span<RedisCall> rest(batch);
  while (!rest.empty()) {
    Status done = connection_.open() ? Ok() : Connect();
    if (done) done = Exchange(rest);
    if (done) continue;
    connection_.Close();
    std::unique_lock lock(mutex_);
    if (closed_ || std::chrono::steady_clock::now() - start > options_.patience) {
      LogError(Concat("queue: ", done.error().message));
      for (RedisCall& call : rest) call.answer(done.error());
      return;
    }
    if (pause == kFirstPause) LogWarning(Concat("queue: ", done.error().message, "; trying again"));
    closing_.wait_for(lock, pause, [this] { return closed_; });
    pause = std::min(pause * 2, kLongestPause);
  }
}

// Takes some calls off the front of `rest` and answers them. An Error says how the connection broke: those that are
// still there have no answer.
Status RedisLink::Exchange(std::span<RedisCall>& rest) {
  const std::span<RedisCall> calls = rest.first(Fitting(rest));
  const Result<RedisAnswer> all = Transact(calls);
  if (!all && !connection_.open()) return all.error();
  if (!all) {
    // Refused as a whole, as where memory is short: then what only reads shall go on.
    for (RedisCall& call : calls) {
      KGYM_TRY_VOID(RunAlone(call));
      rest = rest.subspan(1);
    }
    return Ok();
  }
  const RedisReply replies(all->get());
  for (std::size_t i = 0; i < replies.size(); ++i) {
    if (LostItsScripts(replies[i])) return Error{replies[i].Text()};
  }
  std::size_t next = 0;
  for (RedisCall& call : calls) {
    std::vector<RedisReply> own;
    while (own.size() < call.operations.size()) own.push_back(replies[next++]);
    Answer(call, std::move(own));
  }
  rest = rest.subspan(calls.size());
  return Ok();
}

Status RedisLink::RunAlone(RedisCall& call) {
  for (const RedisCommand& operation : call.operations) connection_.Send(Whole(operation));
  std::vector<RedisAnswer> answers;
  std::vector<RedisReply> replies;
  while (answers.size() < call.operations.size()) {
    KGYM_TRY(RedisAnswer answer, connection_.ReceiveAny());
    answers.push_back(std::move(answer));
    replies.emplace_back(answers.back().get());
    if (LostItsScripts(replies.back())) return Error{replies.back().Text()};
  }
  Answer(call, std::move(replies));
  return Ok();
}

void RedisLink::Answer(RedisCall& call, std::vector<RedisReply> replies) {
  for (const RedisReply& reply : replies) {
    if (reply.is_error()) return call.answer(connection_.Refusal(reply.Text()));
  }
  call.answer(std::move(replies));
}

// The replies of all their operations. Where Redis refuses it the connection stays open, and nothing was done.
Result<RedisAnswer> RedisLink::Transact(std::span<const RedisCall> calls) {
  std::size_t queued = 0;
  connection_.Send({"MULTI"});
  for (const RedisCall& call : calls) {
    for (const RedisCommand& operation : call.operations) {
      connection_.Send(Whole(operation));
      ++queued;
    }
  }
  connection_.Send({"EXEC"});
  for (std::size_t i = 0; i < 1 + queued; ++i) KGYM_TRY_VOID(connection_.ReceiveAny());  // What is refused, EXEC tells.
  KGYM_TRY(RedisAnswer answer, connection_.Receive());
  if (RedisReply(answer.get()).size() == queued) return answer;
  connection_.Close();
  return Error{Concat(options_.address.Text(), ": EXEC did not answer each operation; is this a Redis?")};
}

RedisCommand RedisLink::Whole(const RedisCommand& operation) const {
  RedisCommand command = {"EVALSHA", script_, "1", options_.prefix};
  command.insert(command.end(), operation.begin(), operation.end());
  return command;
}

}  // namespace kgym::service
