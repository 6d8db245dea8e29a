// For tests: a host without a process. What its supervisor would be told can be read.
//
// Threads: the test's.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <memory>
#include <string>

#include "judge/host.h"

namespace kgym::judge {

struct FakeHost {
  FakeHost(const Executor& executor, HostKind kind, Gate* gate) {
    std::pair<Fd, Fd> control = std::move(MakeChannelPair().value());
    std::pair<Fd, Fd> work = std::move(MakeChannelPair().value());
    int output[2] = {-1, -1};
    if (::pipe(output) != 0) std::abort();
    supervisor = std::move(control.second);
    process = std::move(work.second);
    printed = Fd(output[1]);
    Host::Parts parts{kind, -1, Fd(), std::move(work.first), std::move(control.first), Fd(output[0]), {}, gate};
    host = std::make_unique<Host>(executor, std::move(parts));
    if (gate != nullptr) gate->Join(*host);
  }

  /// The letters that the supervisor has been told since this was last asked.
  std::string Told() {
    std::string letters;
    char letter = 0;
    while (::recv(supervisor.get(), &letter, 1, MSG_DONTWAIT) > 0) letters += letter;
    return letters;
  }

  Fd supervisor, process, printed;
  std::unique_ptr<Host> host;
};

}  // namespace kgym::judge
