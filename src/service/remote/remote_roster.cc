#include "service/remote/remote_roster.h"

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr Duration kAnswer = 10s;

}  // namespace

Awaitable<Result<RosterEntry::Reply>> RemoteRoster::Tell(Member member) {
  KGYM_CO_TRY(Json view, ParseJson(member.text, "member"));
  Json body = {
      {"name", member.name}, {"instance", member.instance}, {"protocol", kProtocol}, {"view", std::move(view)}};
  KGYM_CO_TRY(const http::ClientReply reply, co_await client_.Post("/v1/worker/join", std::move(body), kAnswer));
  if (reply.ok())
    co_return Reply{.why = {}, .lanes = DumpJson(reply.json.is_object() ? reply.json.value("lanes", Json()) : Json())};
  const std::string why = Concat(client_.url().Text(), ": ", reply.Detail());
  if (reply.Type() == "name-held") co_return Reply{Answer::kNameHeld, why};
  if (reply.Passing()) co_return Error{why};
  co_return Reply{Answer::kRefused, why};
}

Awaitable<Status> RemoteRoster::Leave(Member member) {
  Json body = {{"name", member.name}, {"instance", member.instance}};
  KGYM_CO_TRY(const http::ClientReply reply, co_await client_.Post("/v1/worker/leave", std::move(body), kAnswer));
  if (!reply.ok()) co_return Error{Concat(client_.url().Text(), ": ", reply.Detail())};
  co_return Ok();
}

}  // namespace kgym::service
