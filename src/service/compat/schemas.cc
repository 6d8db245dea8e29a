#include "service/compat/schemas.h"

namespace kgym::service::kernelgym {
namespace {

Json Says(const char* meaning) { return {{"description", meaning}}; }

}  // namespace

Json EvaluationBody() {
  return {{"type", "object"},
          {"description", "Unknown fields are ignored; a reference_code is required for workflow kernelbench."},
          {"required", {"task_id", "kernel_code"}},
          {"properties",
           {{"task_id", {{"type", "string"}, {"minLength", 1}, {"maxLength", 100}}},
            {"reference_code", {{"type", {"string", "null"}}, {"description", "Model, get_inputs, get_init_inputs."}}},
            {"kernel_code", {{"type", "string"}, {"minLength", 10}, {"maxLength", 100'000}}},
            {"backend", Says("triton (default), cuda or cpp.")},
            {"workflow", Says("kernelbench (default) or kernel_simple.")},
            {"entry_point", Says("Model (default); the kernel's class is this with New behind it.")},
            {"num_correct_trials", Says("1 to 20, default 5.")},
            {"num_perf_trials", Says("1 to 1000, default 100: times are taken until they are certain.")},
            {"num_warmup", Says("0 to 100.")},
            {"timeout", Says("10 to 3600 seconds, default 300; of each stage.")},
            {"priority", Says("low, normal (default) or high.")},
            {"force_refresh", Says("Run it again though this id has ended.")},
            {"reference_backend", Says("torch_compile: compare with the compiled reference.")},
            {"uuid", Says("Of the reference, for use_reference_cache.")},
            {"use_reference_cache", Says("Report the reference time that was first measured for the uuid.")},
            {"enable_profiling", Says("metadata.profiling in the answer; default true.")},
            {"cases_code", Says("kernel_simple: Python with get_cases or get_inputs.")},
            {"cases", Says("kernel_simple: a list of {inputs, outputs, rtol}.")}}}};
}

Json BatchBody() {
  return {{"type", "object"},
          {"required", {"batch_id", "tasks"}},
          {"properties",
           {{"batch_id", {{"type", "string"}}},
            {"tasks", {{"type", "array"}, {"minItems", 1}, {"maxItems", 100}, {"items", {{"type", "object"}}}}}}}};
}

Json WorkflowBody() {
  return {{"type", "object"},
          {"properties",
           {{"workflow", Says("kernelbench (default) or kernel_simple.")},
            {"payload", {{"type", "object"}, {"description", "Fields of POST /evaluate, without bounds."}}},
            {"task_id", {{"type", {"string", "null"}}}},
            {"force_refresh", Says("Run it again though this id has ended.")},
            {"resources", Says("{\"gpus\": n}")}}}};
}

}  // namespace kgym::service::kernelgym
