// The kernel that fills the card, and what is measured with it.
//
// Written in PTX, which the driver compiles: the probe is built without CUDA and runs on every architecture from sm_70
// on. One `Occupier` a process; made at first use, it lives as long as the process.
//
// Threads: one at a time, with torch's context current.
#pragma once

#include <string>

#include "judge/probe/cuda_driver.h"

namespace kgym::judge::probe {

class Occupier {
 public:
  /// Null with `error` set where the driver refuses.
  static Occupier* Get(std::string& error);

  /// Launches on the default stream: occupies the card for at least `ns` nanoseconds and, with `flush`, writes as much
  /// as empties the L2 cache. Returns the driver's code.
  int Launch(long long ns, bool flush);

  const Driver& driver() const { return *driver_; }
  int multiprocessors() const { return multiprocessors_; }
  int threads() const { return threads_; }  // Of a multiprocessor, at once.
  int l2_bytes() const { return l2_bytes_; }

 private:
  std::string Make();

  const Driver* driver_ = nullptr;
  CuFunction kernel_ = nullptr;
  CuDevicePtr scratch_ = 0;
  std::size_t scratch_bytes_ = 0;
  int multiprocessors_ = 0, threads_ = 0, l2_bytes_ = 0;
};

}  // namespace kgym::judge::probe
