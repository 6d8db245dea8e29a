// The zygote process as the judge sees it: started once, asked for hosts.
//
// Starting it takes as long as importing torch does (1.4 s on a small machine, 5 s and more on a big one); a fork takes
// milliseconds. When it dies, all of its hosts die with it and every further Fork is an error: the owner starts a new
// one.
//
// Threads: the executor it was made on.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/async.h"
#include "base/json.h"
#include "judge/channel.h"
#include "judge/host_maker.h"
#include "judge/runtime.h"

namespace kgym::judge {

class Zygote : public HostMaker {
 public:
  struct Options {
    std::string python;
    std::string device = "cpu";        // Or "cuda".
    std::string arch;                  // Of the cards: "90".
    std::string seeded;                // Folder for Triton's helpers, built there if they are not; of a GPU's zygote.
    std::vector<std::string> modules;  // Imported before the first fork, where present.
    std::vector<int>
        cpus;  // Cores that the zygote itself runs on, so that its forking disturbs no measurement; empty for all.
    std::vector<std::string> environment;  // "NAME=value", beside the little that every zygote gets.
    Json backends = Json::array();         // Declared beside the built-in ones; see backends/declared.py.
    bool strict = false;
  };

  static Awaitable<Result<std::unique_ptr<Zygote>>> Start(Executor executor, const Runtime& runtime, Options options);
  ~Zygote() override;

  Awaitable<Result<std::unique_ptr<Host>>> Fork(HostSpec spec) override;

  const Json& versions() const { return versions_; }  // {"python": "3.11.7", "torch": ...}
  const Json& sandbox() const { return sandbox_; }    // The report of its part of the sandbox.
  const Json& backends() const { return backends_; }  // name -> {needs_build, speed, limit_scale, runs, missing}
  const std::vector<std::string>& shown() const { return shown_; }  // Paths that its hosts see, read-only.

 private:
  Zygote(Executor executor, Fd socket, pid_t pid, Fd pidfd);
  Json SandboxSpec(const HostSpec& spec, const std::vector<std::string>& cgroups) const;
  Awaitable<Result<Packet>> Ask(const Json& request, std::vector<int> fds, Duration limit);

  Executor executor_;
  Channel channel_;
  AsyncSemaphore turn_;  // One question at a time.
  pid_t pid_;
  Fd pidfd_;
  Json versions_, sandbox_, backends_;
  std::vector<std::string> shown_;
  Json ground_;    // Device, arch and folder of helpers, as every fork is told them.
  Json prepared_;  // The parts of the specification that every host shares.
  std::unique_ptr<TempDir> root_;
  std::int64_t forks_ = 0;
};

}  // namespace kgym::judge
