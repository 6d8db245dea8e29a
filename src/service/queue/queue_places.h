// The implementations that the suite of tests runs on.
#pragma once

#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "service/queue/queue_fixture.h"

namespace kgym::service {

struct PlaceMaker {
  std::string name;
  Result<std::unique_ptr<Place>> (*make)();  // An Error where it cannot be had on this machine.
};

inline void PrintTo(const PlaceMaker& maker, std::ostream* out) { *out << maker.name; }

std::vector<PlaceMaker> PlaceMakers();

}  // namespace kgym::service
