#include "service/compat/metadata.h"

#include <algorithm>
#include <cstdio>
#include <vector>

#include "base/text.h"

namespace kgym::service::kernelgym {
namespace {

const Json& Part(const Json& json, const char* name) {
  static const Json kNone = Json::object();
  const auto found = json.is_object() ? json.find(name) : json.end();
  return found != json.end() && found->is_object() ? *found : kNone;
}

double Number(const Json& json, const char* name, double otherwise = 0) {
  return GetDoubleOr(json, name, otherwise).value_or(otherwise);
}

std::string Text(const Json& json, const char* name) { return GetStringOr(json, name, "").value_or(""); }

std::string Format(const char* format, auto... values) {
  char text[200];
  std::snprintf(text, sizeof text, format, values...);
  return text;
}

/// Names as a Python list: "['add_kernel', 'mul_kernel']".
std::string PythonList(const std::vector<std::string>& names) {
  std::string list = "[";
  for (const std::string& name : names) list += Concat(list.size() > 1 ? ", '" : "'", name, "'");
  return list + "]";
}

void AddMachine(const Json& verdict, const Json& request, Json& metadata) {
  const Json& provenance = Part(verdict, "provenance");
  const std::string card = Text(provenance, "card");
  const std::string hardware = card.empty() ? Text(provenance, "cpu") : card;
  metadata["hardware"] = hardware;
  metadata["device"] = Text(provenance, "device");
  metadata["gpu_name"] = hardware;
  metadata["backend"] = Text(request, "backend");
  metadata["num_correct_trials"] = request.value("num_correct_trials", 0);
  metadata["num_perf_trials"] = request.value("num_perf_trials", 0);
}

void AddCorrectness(const Json& verdict, Json& metadata) {
  const Json& correctness = Part(verdict, "correctness");
  if (correctness.empty()) return;
  metadata["correctness_trials"] = Format("(%d / %d)", static_cast<int>(Number(correctness, "passed")),
                                          static_cast<int>(Number(correctness, "sets")));
  const std::string outcome = Text(verdict, "outcome");
  if (outcome != "fail:numerical" && outcome != "fail:nan" && outcome != "fail:shape" && outcome != "fail:dtype" &&
      outcome != "fail:nondeterministic")
    return;
  const std::string reason = Text(verdict, "reason");
  metadata["correctness_issue"] = outcome == "fail:shape" ? "Output shape mismatch: " + reason : "Output mismatch";
  metadata["correctness_issue_name"] = "correctness_issue";
  if (const Json& largest = correctness.value("max_abs", Json()); largest.is_number())
    metadata["max_difference"] = Json::array({Format("%.6f", largest.get<double>())});
  if (const Json& rms = correctness.value("rms_rel", Json()); rms.is_number())
    metadata["rms_relative_difference"] = Json::array({Format("%.6f", rms.get<double>())});
}

void AddErrors(const Json& verdict, Json& metadata) {
  const std::string outcome = Text(verdict, "outcome");
  const Json& evidence = Part(verdict, "evidence");
  const std::string trace = Text(evidence, "traceback"), reason = Text(verdict, "reason");
  const std::string text = trace.empty() ? reason : Concat(reason, "\n", trace);
  if (outcome == "fail:compile" || outcome == "fail:load" || outcome == "fail:format") {
    metadata["compilation_error"] = text;
    metadata["compilation_error_name"] = outcome == "fail:compile" ? "compile_error" : outcome.substr(5);
  } else if (outcome == "fail:runtime" || outcome == "fail:crash" || outcome == "fail:oom") {
    metadata["runtime_error"] = text;
    metadata["runtime_error_name"] = outcome.substr(5);
  }
}

/// Of the kernels that ran in the observed call, those that are the submission's own.
void AddCoverage(const Json& own_work, bool profiling, Json& metadata) {
  const Json& profile = Part(own_work, "profile");
  std::vector<std::string> own;
  Json rows = Json::array();
  double own_us = 0, all_us = 0;
  for (const Json& kernel : profile.value("kernels", Json::array())) {
    const double us = Number(kernel, "us");
    const bool mine = Text(kernel, "owner") == "own";
    if (mine) own.push_back(Text(kernel, "name"));
    rows.push_back({{"name", Text(kernel, "name")},
                    {"cuda_time_us", us},
                    {"cpu_time_us", 0.0},
                    {"count", kernel.value("launches", 0)}});
  }
  for (const char* who : {"own", "library", "framework"}) all_us += Number(Part(profile, "us"), who);
  own_us = Number(Part(profile, "us"), "own");
  const auto total = rows.size() + static_cast<std::size_t>(Number(profile, "more"));
  metadata["num_custom_kernels"] = own.size();
  metadata["num_total_kernels"] = total;
  metadata["triton_kernel_coverage"] =
      Format("Run %zu custom kernels / Total %zu kernels, Coverage: %.2f%%", own.size(), total,
             total > 0 ? 100.0 * static_cast<double>(own.size()) / static_cast<double>(total) : 0.0);
  metadata["triton_profiler_matches"] = PythonList(own);
  metadata["custom_kernel_cuda_time_in_profiling_us"] = own_us;
  metadata["total_kernel_run_time_in_profiling_us"] = all_us;
  metadata["custom_kernel_cuda_time_coverage"] =
      Format("Custom kernel CUDA time: %.2fus / Total time: %.2fus, Coverage: %.2f%%", own_us, all_us,
             all_us > 0 ? 100 * own_us / all_us : 0.0);
  if (!profiling) return;
  metadata["profiling"] = {{"kernels", std::move(rows)},
                           {"kernel_count", total},
                           {"total_cuda_time_us", all_us},
                           {"total_self_cuda_time_us", all_us},
                           {"cuda_device_event_count", profile.value("launches", 0)}};
}

/// On a CPU there is no profile of a card: shares of time in the submission's own code, and what it launched.
void AddCpuCoverage(const Json& own_work, Json& metadata) {
  std::size_t launches = 0, operators = 0;
  std::vector<std::string> names;
  for (const auto& [name, count] : Part(own_work, "launches").items()) {
    names.push_back(name);
    launches += count.is_number() ? count.get<std::size_t>() : 1;
  }
  for (const auto& [name, count] : Part(own_work, "operators").items())
    operators += count.is_number() ? count.get<std::size_t>() : 1;
  metadata["num_custom_kernels"] = launches;
  metadata["num_total_kernels"] = launches + operators;
  metadata["triton_profiler_matches"] = PythonList(names);
  const double coverage = Number(own_work, "coverage");
  metadata["custom_kernel_time_coverage"] = Format("Coverage: %.2f%%", 100 * coverage);
}

void AddTiming(const Json& verdict, Json& metadata) {
  const Json& timing = Part(verdict, "timing");
  const Json& candidate = Part(timing, "candidate");
  if (candidate.empty()) return;
  const Json interval = candidate.value("interval_ms", Json::array());
  metadata["runtime_stats"] = {{"mean", candidate.value("mean_ms", Json())},
                               {"median", candidate.value("median_ms", Json())},
                               {"interval", interval},
                               {"num_trials", candidate.value("trials", Json())},
                               {"hardware", metadata["hardware"]},
                               {"device", metadata["device"]}};
  metadata["speedup_interval"] = verdict.value("speedup_interval", Json());
}

void AddReference(const Json& verdict, const Json& request, Json& metadata) {
  const std::string backend = Text(request, "reference_backend");
  if (backend.empty()) return;
  metadata["reference_backend"] = backend;
  if (!request.value("compiled_reference", false)) return;
  const bool compiled = verdict.contains("compiled_reference_ms") && verdict["compiled_reference_ms"].is_number();
  metadata["reference_backend_compiled"] = compiled;
  if (!compiled) metadata["reference_backend_error"] = "the reference was not timed under torch.compile";
}

}  // namespace

Json MetadataOf(const Json& verdict, const Json& request, const std::string& task_id) {
  Json metadata = Json::object();
  AddMachine(verdict, request, metadata);
  AddCorrectness(verdict, metadata);
  AddErrors(verdict, metadata);
  const Json& own_work = Part(verdict, "own_work");
  if (own_work.contains("profile")) AddCoverage(own_work, request.value("profiling", true), metadata);
  if (!own_work.empty() && !own_work.contains("profile")) AddCpuCoverage(own_work, metadata);
  AddTiming(verdict, metadata);
  AddReference(verdict, request, metadata);
  for (const char* name : {"cases_source", "num_cases"}) {
    if (request.contains(name)) metadata[name] = request[name];
  }
  metadata["kgym_outcome"] = Text(verdict, "outcome");
  if (const std::string next = Text(verdict, "next_step"); !next.empty()) metadata["next_step"] = next;
  metadata["kernel_task_id"] = task_id + "_kernel";
  if (Text(request, "workflow") != "kernel_simple" && Part(verdict, "timing").contains("reference"))
    metadata["reference_task_id"] = task_id + "_ref";
  return metadata;
}

}  // namespace kgym::service::kernelgym
