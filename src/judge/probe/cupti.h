// CUPTI's activity interface, reached through dlopen: what it records of kernels, copies and fills.
//
// Layouts are those of cupti_activity.h from CUDA 11 to 13, of which only the leading fields are read: later versions
// have added at the end.
//
// Threads: CUPTI calls back from a thread of its own; `Records` is filled under a lock.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace kgym::judge::probe {

/// One kernel, copy or fill.
struct GpuActivity {
  std::string name;
  std::uint32_t correlation = 0;
  std::uint32_t stream = 0;
  std::uint64_t start_ns = 0, end_ns = 0;
};

class Cupti {
 public:
  /// Null with `error` set where there is none.
  static Cupti* Get(std::string& error);

  std::string Start();  // Empty, or what went wrong.
  int Enter(std::uint64_t owner);
  int Leave();

  struct Records {
    std::vector<GpuActivity> activities;
    std::map<std::uint32_t, std::uint64_t> owners;  // By correlation.
  };
  /// Everything since Start; the card must be idle by now.
  Records Stop();

 private:
  std::string Load();

  int (*register_callbacks_)(void*, void*) = nullptr;
  int (*enable_)(int) = nullptr;
  int (*disable_)(int) = nullptr;
  int (*flush_all_)(std::uint32_t) = nullptr;
  int (*push_)(int, std::uint64_t) = nullptr;
  int (*pop_)(int, std::uint64_t*) = nullptr;

 public:
  int (*next_record_)(std::uint8_t*, std::size_t, std::uint8_t**) = nullptr;  // For the callback.
};

}  // namespace kgym::judge::probe
