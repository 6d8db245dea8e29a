// A kernel of our own whose length follows from its sizes, for what a bench repeats: leaky ReLU of a vector, once or
// several times over.
//
// Threads: any; plain values.
#pragma once

#include <string>
#include <vector>

#include "gpu_load.h"

namespace kgym::bench {

/// About how long one call takes on an H100, and the sizes that make it so.
struct KernelSize {
  std::string name;  // "50us".
  int n = 0;
  int passes = 1;
  double most_variation = 0;  // Of its median from evaluation to evaluation, in per cent: the target.
};

const std::vector<KernelSize>& KernelSizes();

/// The kernel in Triton, or in C++ on a CPU lane, where Triton has no speed.
Item KernelOf(const KernelSize& size, const judge::JudgeConfig& config);

/// The smallest of them.
Item SmallKernel(const judge::JudgeConfig& config);

/// The reference given as a submission, which is then no kernel of its own.
Item ReferenceAgain(const KernelSize& size, const judge::JudgeConfig& config);

}  // namespace kgym::bench
