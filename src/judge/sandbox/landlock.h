// Landlock: what the process may reach in the file system, whatever the mounts say. A second wall where there is a
// private root, the only one where there is none.
//
// Threads: Prepare in any; RestrictThread concerns the calling thread (see threads.h) and all it starts later.
#pragma once

#include "judge/sandbox/spec.h"
#include "judge/sandbox/step.h"

namespace kgym::judge::sandbox {

class Landlock {
 public:
  /// Read and execute below `spec.read_only` and the root's own few files, write below kWritable, use of devices, no
  /// TCP, no signal to outside. Nothing holds before RestrictThread.
  static Landlock Prepare(const SandboxSpec& spec);

  bool RestrictThread() const;  // Needs no_new_privs.
  void Close();

  const Step& step() const { return step_; }
  bool ready() const { return ruleset_ >= 0; }

 private:
  int ruleset_ = -1;
  Step step_;
};

}  // namespace kgym::judge::sandbox
