// Builds that the workers of a server share: a file each, named by its key, in a folder that is bounded in bytes. Those
// that were asked for longest ago make room.
//
// Threads: calls from any executor, the answer comes back on the caller's; a thread of its own does the files.
#pragma once

#include <atomic>
#include <boost/asio/thread_pool.hpp>
#include <cstdint>
#include <filesystem>
#include <list>
#include <map>
#include <optional>
#include <string>

#include "judge/build.h"

namespace kgym::service {

/// Since the server started, but for what is there.
struct BuildStoreCounts {
  std::int64_t builds = 0, bytes = 0;   // Kept now.
  std::int64_t hits = 0, misses = 0;    // Asked for, and there or not.
  std::int64_t taken = 0, dropped = 0;  // Offered and new; gone to make room.
};

class BuildStore final : public judge::BuildDepot {
 public:
  /// The folder is made where it is not there, and may be one that an earlier server left. `most_bytes`: 0 keeps
  /// nothing.
  BuildStore(std::filesystem::path folder, std::int64_t most_bytes);
  ~BuildStore() override;

  Awaitable<Result<std::optional<std::string>>> Fetch(std::string key) override;

  /// An error that begins with "build bundle" is the offerer's fault.
  Awaitable<Status> Keep(std::string key, std::string bundle) override;

  /// From any thread.
  BuildStoreCounts counts() const;

 private:
  struct Kept {
    std::string key;
    std::int64_t bytes = 0;
  };
  // On its thread:
  Awaitable<void> Find(std::string key, Result<std::optional<std::string>>& found);
  Awaitable<void> Take(std::string key, std::string bundle, Status& kept);
  Result<std::optional<std::string>> Read(const std::string& key);
  Status Write(const std::string& key, const std::string& bundle);
  void Index();
  void MakeRoom(std::int64_t bytes);
  void Drop(std::list<Kept>::iterator one);

  const std::filesystem::path folder_;
  const std::int64_t most_bytes_;
  std::list<Kept> kept_;  // What was asked for last comes first. Of its thread, as what follows.
  std::map<std::string, std::list<Kept>::iterator> by_key_;
  std::atomic<std::int64_t> builds_{0}, bytes_{0}, hits_{0}, misses_{0}, taken_{0}, dropped_{0};
  boost::asio::thread_pool thread_{1};
};

}  // namespace kgym::service
