// Whose code a submission's timed calls run, as seen from outside its process.
//
// The observed call (own_work.h) tells what happened by facts that are made in the candidate's process. Here nobody is
// asked: in a batch like the timed ones the supervisor stops all of the candidate at random moments and notes where
// each thread was (sandbox/code_watch.h). A submission whose kernels do the work is met in code of its own; one that
// shows a kernel and lets a library answer is met in that library.
//
// Time in a library is honest where it was admitted (framework operators in the observed call), where it is our copying
// of the outputs, and where it is a function of mathematics that own code calls. The rule takes all of these off, and
// asks for next to nothing of its own beside what is left. Too few samples decide nothing.
//
// Threads: any; pure, but for reading the names of functions from libraries' files.
#pragma once

#include <map>
#include <span>
#include <string>
#include <string_view>

#include "base/json.h"
#include "judge/ruling.h"

namespace kgym::judge {

enum class CodeOwner {
  kSubmission,  // Files that a candidate can have made, and executable memory without a file.
  kLibrary,     // Libraries that compute: torch, its BLAS, NumPy's, ...
  kOther,       // Interpreter, C library, mathematical functions: says nothing about whose work it is.
};

/// What hosts see read-only, at the same place as outside.
using Shown = std::span<const std::string>;

/// `file` as in /proc/<pid>/maps; `function` where it is known. What lies where a candidate can write is its own, but
/// for what is `shown` there: a Python, or our own runner, below /tmp.
CodeOwner OwnerOf(std::string_view file, std::string_view function, Shown shown);

/// Threads met in user mode, by whose code it was, and in the kernel; sums over all looks.
struct WorkSamples {
  int looks = 0;
  int own = 0, library = 0, other = 0;
  int in_system = 0, unreadable = 0;
  int products = 0;                      // Of `library`, in matrix products and convolutions.
  std::map<std::string, int> libraries;  // By name.
  std::map<std::string, int> functions;  // Of libraries, "file: function".

  int user() const { return own + library + other; }
  void Add(const Json& report, Shown shown);  // `report`: a supervisor's.
  Json ToJson() const;
};

/// What the times say about the batches that were sampled. Milliseconds a call, copying its outputs out included.
struct SampledCalls {
  double call_ms = 0;      // CPU time.
  double emit_share = 0;   // Share of it in which outputs are copied, by a library.
  double admitted_ms = 0;  // In framework operators that touch elements, in the observed call.
};

/// Of a call, that libraries may take because the observed call was seen to leave it to them, and for what they do
/// around any call.
double AllowedMs(const SampledCalls& calls);

/// The functions of libraries that were met most, with how often.
Json FunctionsMet(const WorkSamples& samples);

/// Of the threads met in libraries, how many our own copying of outputs explains; it runs in the framework's.
double Copying(const WorkSamples& samples, const SampledCalls& calls);

/// Share of time in libraries beyond copying outputs.
double LibraryShare(const WorkSamples& samples, const SampledCalls& calls);

/// Of what is the submission's or a library's, the share that is its own; null where too little was seen.
Json SampledCoverage(const WorkSamples& samples, const SampledCalls& calls);

/// The share of each library, by name, of what is the submission's or a library's, our copying taken off; null where
/// too little was seen. What is left is SampledCoverage.
Json SampledShares(const WorkSamples& samples, const SampledCalls& calls);

/// The coverage that a verdict carries: what the observed call claims, and what was sampled where that claims nothing,
/// or more than samples can differ by chance.
Json Coverage(const Json& claimed, const WorkSamples& samples, const SampledCalls& calls);

/// Whether to look again: next to nothing of its own was met, or less than of libraries, the calls are long enough for
/// that to mean something, and there are too few samples to decide.
bool WorthMore(const WorkSamples& samples, const SampledCalls& calls);

/// Libraries do the work, and the observed call was not seen to leave it to them.
MaybeRuling RuleOnSamples(const WorkSamples& samples, const SampledCalls& calls);

}  // namespace kgym::judge
