// An evaluation as clients of KernelGYM ask for it: the body of POST /evaluate, or the payload of a workflow.
//
// Threads: any; plain values and pure functions.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/json.h"
#include "base/result.h"

namespace kgym::service::kernelgym {

enum class Workflow { kKernelBench, kKernelSimple };

std::string_view Name(Workflow workflow);
/// Trimmed, in any case; an absent one is kernelbench. An error says which are known.
Result<Workflow> ParseWorkflow(std::optional<std::string> name);

struct Evaluation {
  std::string task_id;
  Workflow workflow = Workflow::kKernelBench;
  std::string reference_code;  // Empty: none.
  std::string kernel_code;
  std::string backend = "triton";
  std::string entry_point = "Model";
  std::int64_t num_correct_trials = 5;
  std::int64_t num_perf_trials = 100;
  std::int64_t num_warmup = 3;
  std::int64_t timeout_s = 300;
  std::string priority = "normal";
  bool force_refresh = false;
  std::string reference_backend;  // "torch_compile" and the like; empty: eager.
  std::string uuid;
  bool use_reference_cache = false;
  bool is_valid = false;
  bool profiling = true;
  bool detect_decoy = true;
  bool run_performance = true;
  std::optional<bool> run_correctness;
  std::string cases_code;            // kernel_simple: Python that defines the cases.
  Json cases;                        // kernel_simple: the cases themselves; null where there are none.
  std::optional<std::int64_t> gpus;  // Of `resources`; nothing but its sign matters.
  std::string device_preference;
};

/// Of POST /evaluate. An error is the text of a 400: everything that is wrong, field by field.
Result<Evaluation> ReadEvaluation(const Json& body);

/// Of POST /workflow/submit, whose payload has no bounds. An error names the field that is missing.
Result<Evaluation> ReadPayload(Workflow workflow, const std::string& task_id, const Json& payload);

/// What is wrong with the codes or what is asked for, so that nothing need run: a sentence, or nothing.
std::string Fault(const Evaluation& evaluation);

/// The class that is judged.
std::string KernelClass(const Evaluation& evaluation);

}  // namespace kgym::service::kernelgym
