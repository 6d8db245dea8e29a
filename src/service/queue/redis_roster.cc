#include "service/queue/redis_roster.h"

#include <algorithm>
#include <boost/asio/this_coro.hpp>
#include <functional>
#include <utility>

#include "service/queue/lease_watch.h"
#include "service/queue/pending.h"
#include "service/queue/redis_link.h"

namespace kgym::service {
namespace {

constexpr const char* kNoDate = "0";  // Nothing here has one.

class RedisRoster final : public Roster {
 public:
  RedisRoster(RedisOptions options, const Clock& clock) : clock_(clock), link_(std::move(options)) {}

  Status Start() { return link_.Start(); }

  /// The name of one that was never heard of under our eyes is held until it has been silent for long enough.
  Awaitable<Result<Reply>> Tell(Member member) override {
    RedisCommand tell = {"tell_member", kNoDate, member.name, member.instance, member.text};
    KGYM_CO_TRY(const Beat held, co_await Ask<Beat>(tell, ReadHeld));
    if (held.name.empty()) co_return Reply{};
    const Instant now = clock_.Now();
    holders_.Observe(member.name, 0, held.beat, kSilence, now);
    const auto lost = holders_.LostAt(now);
    const auto silent = std::ranges::find(lost, member.name, &LeaseWatch::Lost::id);
    if (silent == lost.end()) co_return Reply{Answer::kNameHeld, NameHeld(member.name)};
    holders_.Drop(member.name);
    KGYM_CO_TRY_VOID(co_await Strike(*silent));
    KGYM_CO_TRY(const Beat again, co_await Ask<Beat>(tell, ReadHeld));
    if (!again.name.empty()) co_return Reply{Answer::kNameHeld, NameHeld(member.name)};
    co_return Reply{};
  }

  Awaitable<Status> Leave(Member member) override {
    RedisCommand leave = {"leave_member", kNoDate, member.name, member.instance};
    KGYM_CO_TRY_VOID(co_await Ask<bool>(std::move(leave), ReadNothing));
    co_return Ok();
  }

  Awaitable<Result<std::vector<Member>>> Members() override {
    RedisCommand look = {"members", kNoDate};
    KGYM_CO_TRY(std::vector<Seen> seen, co_await Ask<std::vector<Seen>>(std::move(look), ReadSeen));
    const Instant now = clock_.Now();
    std::vector<std::string> names;
    for (const Seen& one : seen) {
      names.push_back(one.member.name);
      beats_.Observe(one.member.name, 0, one.beat, kSilence, now);
    }
    beats_.KeepOnly(names);
    for (const LeaseWatch::Lost& silent : beats_.LostAt(now)) {
      std::erase_if(seen, [&](const Seen& one) { return one.member.name == silent.id; });
      KGYM_CO_TRY_VOID(co_await Strike(silent));
    }
    std::vector<Member> members;
    for (Seen& one : seen) members.push_back(std::move(one.member));
    std::ranges::sort(members, {}, &Member::name);
    co_return members;
  }

 private:
  using Replies = std::vector<RedisReply>;

  /// Who has a name, and how often it was heard of; the name is empty where nobody has it.
  struct Beat {
    std::string name;
    std::int64_t beat = 0;
  };
  struct Seen {
    Member member;
    std::int64_t beat = 0;
  };

  static Result<Beat> ReadHeld(const Replies& replies) {
    const RedisReply& reply = replies[0];
    if (reply.size() < 2) return Beat{};
    return Beat{"held", reply[1].Int()};
  }

  static Result<bool> ReadNothing(const Replies&) { return true; }

  static Result<std::vector<Seen>> ReadSeen(const Replies& replies) {
    const RedisReply& reply = replies[0];
    std::vector<Seen> seen;
    for (std::size_t i = 0; i + 3 < reply.size(); i += 4)
      seen.push_back({{reply[i].Text(), reply[i + 1].Text(), reply[i + 3].Text()}, reply[i + 2].Int()});
    return seen;
  }

  Awaitable<Status> Strike(LeaseWatch::Lost silent) {
    RedisCommand strike = {"strike_member", kNoDate, silent.id, std::to_string(silent.beat)};
    KGYM_CO_TRY_VOID(co_await Ask<bool>(std::move(strike), ReadNothing));
    co_return Ok();
  }

  template <class T>
  Awaitable<Result<T>> Ask(RedisCommand operation, Result<T> (*read)(const Replies&)) {
    auto caller = std::make_shared<Pending<T>>(co_await boost::asio::this_coro::executor);
    RedisCall call;
    call.operations.push_back(std::move(operation));
    call.answer = [caller, read](Result<Replies> replies) {
      caller->Answer(replies ? read(*replies) : Result<T>(replies.error()));
    };
    link_.Put(std::move(call));
    co_return co_await caller->Wait();
  }

  const Clock& clock_;
  LeaseWatch beats_;    // Of all who are on the roster.
  LeaseWatch holders_;  // Of those whose name a member of this process wants.
  RedisLink link_;      // Last: its thread ends before what it uses.
};

}  // namespace

Result<std::unique_ptr<Roster>> OpenRedisRoster(RedisOptions options) {
  static const MonotonicClock machine_clock;
  const Clock& clock = options.clock != nullptr ? *options.clock : machine_clock;
  auto roster = std::make_unique<RedisRoster>(std::move(options), clock);
  KGYM_TRY_VOID(roster->Start());
  return std::unique_ptr<Roster>(std::move(roster));
}

}  // namespace kgym::service
