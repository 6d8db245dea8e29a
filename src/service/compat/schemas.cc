#include "service/compat/schemas.h"

namespace kgym::service::kernelgym {
namespace {

Json Object(Json required, Json properties) {
  return {{"type", "object"}, {"required", std::move(required)}, {"properties", std::move(properties)}};
}

Json Said(Json schema, const char* meaning) {
  if (*meaning != '\0') schema["description"] = meaning;
  return schema;
}

Json OrNull(Json schema) { return {{"anyOf", {std::move(schema), {{"type", "null"}}}}}; }

Json Word(Json words) { return {{"type", "string"}, {"enum", std::move(words)}}; }

/// As Fields::IntOr reads them: also as text, `digits`, and true and false as 1 and 0.
Json Whole(int least, int most, const char* digits) {
  Json ways = {{{"type", "integer"}, {"minimum", least}, {"maximum", most}}, {{"type", "string"}, {"pattern", digits}}};
  if (least == 1) ways.push_back({{"type", "boolean"}, {"enum", {true}}});
  if (least == 0) ways.push_back({{"type", "boolean"}});
  return {{"anyOf", std::move(ways)}};
}

/// As Fields::Bool reads them.
Json Truth() {
  return {{"anyOf",
           {{{"type", "boolean"}},
            {{"type", "integer"}, {"enum", {0, 1}}},
            Word({"1", "on", "t", "true", "y", "yes", "0", "off", "f", "false", "n", "no"})}}};
}

Json Code(const char* meaning) {
  // White space at its ends does not count.
  return {{"type", "string"},
          {"description", meaning},
          {"minLength", 10},
          {"maxLength", 100'000},
          {"pattern", R"(^\s*\S[\s\S]{8,}\S\s*$)"}};
}

Json Flags() {
  Json flags = {
      {"force_refresh", Said(Truth(), "Run it again though this id has ended.")},
      {"use_reference_cache", Said(Truth(), "Report the reference time that was first measured for the uuid.")},
      {"is_valid", Truth()}};
  for (const char* name : {"verbose_errors", "run_correctness", "run_triton_detection", "enable_triton_detection",
                           "run_performance", "measure_performance"}) {
    flags[name] = OrNull(Truth());
  }
  flags["enable_profiling"] = Said(OrNull(Truth()), "metadata.profiling in the answer; default true.");
  return flags;
}

Json Shared() {
  const Json text = {{"type", "string"}}, optional = {{"type", {"string", "null"}}};
  Json shared = {
      {"kernel_code", Code("Python with the kernel's class.")},
      {"entry_point", Said(text, "Model (default); the kernel's class is this with New behind it.")},
      {"num_correct_trials", Said(Whole(1, 20, "^([1-9]|1[0-9]|20)$"), "Default 5.")},
      {"num_perf_trials", Said(Whole(1, 1000, "^([1-9][0-9]{0,2}|1000)$"),
                               "Default 100, and not counted: times are taken until they are certain.")},
      {"num_warmup", Said(Whole(0, 100, "^([0-9]|[1-9][0-9]|100)$"), "Default 3.")},
      {"timeout", Said(Whole(10, 3600, "^([1-9][0-9]{1,2}|[12][0-9]{3}|3[0-5][0-9]{2}|3600)$"),
                       "Seconds, default 300; of each stage.")},
      {"priority", Said(Word({"low", "normal", "high"}), "Default normal.")},
      {"backend", Said(Word({"triton", "cuda", "cpp"}), "Default triton.")},
      {"toolkit", Word({"kernelbench", "kernel_simple"})},
      {"backend_adapter", Word(Json::array({"kernelbench"}))},
      {"reference_backend", Said(optional, "torch_compile: compare with the compiled reference.")},
      {"uuid", Said(optional, "Of the reference, for use_reference_cache.")},
      {"device_preference", optional},
      {"cases_code", Said(optional, "kernel_simple: Python with get_cases or get_inputs.")},
      {"cases", Said({{"type", {"array", "object", "null"}}}, "kernel_simple: a list of {inputs, outputs, rtol}.")},
      {"resources", Said({{"type", {"object", "null"}}}, "{\"gpus\": n}")}};
  shared.update(Flags());
  return shared;
}

const char* const kReference = "Python with Model, get_inputs and get_init_inputs.";

/// Of workflow kernelbench, which needs a reference, or of kernel_simple, which does not.
Json EitherWorkflow(const Json& required, const Json& properties) {
  Json bench = properties, simple = properties, needed = required, also = required;
  bench["workflow"] = OrNull(Said(Word(Json::array({"kernelbench"})), "The default."));
  bench["reference_code"] = Code(kReference);
  needed.push_back("reference_code");
  simple["workflow"] = Word(Json::array({"kernel_simple"}));
  simple["reference_code"] = OrNull(Code(kReference));
  also.push_back("workflow");
  return {{"description", "Unknown fields are ignored."},
          {"anyOf", {Object(std::move(needed), std::move(bench)), Object(std::move(also), std::move(simple))}}};
}

}  // namespace

Json EvaluationBody() {
  return {{"type", "object"},
          {"required", {"task_id", "kernel_code"}},
          {"properties",
           {{"task_id", {{"type", "string"}, {"minLength", 1}, {"maxLength", 100}}},
            {"reference_code", {{"type", {"string", "null"}}}},
            {"kernel_code", {{"type", "string"}, {"minLength", 10}, {"maxLength", 100'000}}}}}};
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
          {"properties", {{"payload", {{"type", "object"}}}, {"task_id", {{"type", {"string", "null"}}}}}}};
}

Json EvaluationShown() {
  Json properties = Shared();
  properties["task_id"] = {{"type", "string"}, {"minLength", 1}, {"maxLength", 100}};
  return EitherWorkflow({"task_id", "kernel_code"}, properties);
}

Json BatchShown() {
  return Object({"batch_id", "tasks"},
                {{"batch_id", {{"type", "string"}}},
                 {"tasks", {{"type", "array"}, {"minItems", 1}, {"maxItems", 100}, {"items", EvaluationShown()}}}});
}

Json WorkflowShown() {
  Json payload = Object({"kernel_code", "reference_code"},
                        {{"kernel_code", {{"type", "string"}}}, {"reference_code", {{"type", "string"}}}});
  return Object({"task_id", "payload"},
                {{"workflow", OrNull(Said(Word({"kernelbench", "kernel_simple"}), "Default kernelbench."))},
                 {"payload", Said(std::move(payload), "Fields of POST /evaluate, without bounds.")},
                 {"task_id", {{"type", "string"}, {"minLength", 1}, {"maxLength", 150}}},
                 {"force_refresh", Said(Truth(), "Run it again though this id has ended.")},
                 {"resources", Said({{"type", "object"}}, "{\"gpus\": n}")}});
}

}  // namespace kgym::service::kernelgym
