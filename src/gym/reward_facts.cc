#include "gym/reward_facts.h"

namespace kgym::gym {

std::string_view ToString(OutcomeKind kind) {
  switch (kind) {
    case OutcomeKind::kOk:
      return "ok";
    case OutcomeKind::kFail:
      return "fail";
    case OutcomeKind::kRejected:
      return "rejected";
    case OutcomeKind::kInfra:
      return "infra";
  }
  return "infra";
}

}  // namespace kgym::gym
