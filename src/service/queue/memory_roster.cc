#include "service/queue/memory_roster.h"

#include "base/text.h"

namespace kgym::service {

Awaitable<Result<Roster::Reply>> MemoryRoster::Tell(Member member) {
  DropSilent();
  const auto found = heard_.find(member.name);
  if (found != heard_.end() && found->second.member.instance != member.instance)
    co_return Reply{Answer::kNameHeld, NameHeld(member.name)};
  if (found == heard_.end() && heard_.size() >= kMostMembers)
    co_return Reply{Answer::kRefused, Concat(kMostMembers, " workers are there already, which is the most")};
  const std::string name = member.name;
  heard_[name] = {std::move(member), clock_.Now()};
  co_return Reply{};
}

Awaitable<Status> MemoryRoster::Leave(Member member) {
  const auto found = heard_.find(member.name);
  if (found != heard_.end() && found->second.member.instance == member.instance) heard_.erase(found);
  co_return Ok();
}

Awaitable<Result<std::vector<Member>>> MemoryRoster::Members() {
  DropSilent();
  std::vector<Member> members;
  for (const auto& [name, heard] : heard_) members.push_back(heard.member);
  co_return members;
}

void MemoryRoster::DropSilent() {
  const Instant now = clock_.Now();
  std::erase_if(heard_, [&](const auto& entry) { return now - entry.second.last > kSilence; });
}

}  // namespace kgym::service
