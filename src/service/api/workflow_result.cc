#include "service/api/workflow_result.h"

#include <openssl/evp.h>

#include "base/text.h"

namespace kgym::service {
namespace {

std::string ToBase64(std::string_view bytes) {
  std::string text((bytes.size() + 2) / 3 * 4 + 1, '\0');  // And the null that it ends with.
  const int length =
      ::EVP_EncodeBlock(reinterpret_cast<unsigned char*>(text.data()),
                        reinterpret_cast<const unsigned char*>(bytes.data()), static_cast<int>(bytes.size()));
  text.resize(static_cast<std::size_t>(length));
  return text;
}

Result<std::string> FromBase64(std::string_view text) {
  std::string bytes(text.size() / 4 * 3 + 1, '\0');
  const int length =
      ::EVP_DecodeBlock(reinterpret_cast<unsigned char*>(bytes.data()),
                        reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
  if (length < 0) return Error{"its bytes are not base64"};
  const std::size_t padding = text.ends_with("==") ? 2 : text.ends_with("=") ? 1 : 0;  // Decoded as zeros.
  bytes.resize(static_cast<std::size_t>(length) - padding);
  return bytes;
}

/// Null where there is nothing. What a worker says may be any JSON.
const Json& At(const Json& json, const std::string& key) {
  static const Json kNothing;
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found == json.end() ? kNothing : *found;
}

/// The report's row of a step; null where there is none.
const Json* StepOf(const Json& report, const std::string& name) {
  const Result<const Json*> steps = GetArray(report, "steps");
  if (!steps.ok()) return nullptr;
  for (const Json& step : **steps) {
    if (GetStringOr(step, "name", "").value_or("") == name) return &step;
  }
  return nullptr;
}

}  // namespace

Result<std::string> WorkflowResult(const judge::Workflow& workflow, const judge::WorkflowRun& run,
                                   const Json& provenance) {
  Json report = judge::ToJson(workflow, run);
  report["provenance"] = provenance;
  if (const std::size_t size = DumpJson(report).size(); size > kMostReportBytes)
    return Error{Concat("what its steps gave is ", FormatBytes(size), " of JSON; at most ",
                        FormatBytes(kMostReportBytes), " is kept: write what is large into files")};
  Json files = Json::object();
  std::size_t left = kMostKeptFileBytes;
  for (std::size_t i = 0; i < run.steps.size(); ++i) {
    for (const judge::StepFile& file : run.steps[i].files) {
      if (file.bytes.size() > left) continue;
      left -= file.bytes.size();
      files[workflow.steps[i].name][file.name] = ToBase64(file.bytes);
    }
  }
  std::string text = DumpJson({{"report", std::move(report)}, {"files", std::move(files)}});
  if (const Result<Json> again = ParseJson(text, "its result"); !again.ok()) return again.error();
  return text;
}

Result<std::string> FileOf(const Json& result, const std::string& step, const std::string& name) {
  const Json* row = StepOf(At(result, "report"), step);
  if (row == nullptr) return Error{Concat("it has no step '", TruncateUtf8(step, 80), "'")};
  std::vector<std::string> names;
  bool was_there = false;
  for (const Json& file : At(*row, "artefacts")) {
    names.push_back(GetStringOr(file, "name", "").value_or(""));
    was_there = was_there || names.back() == name;
  }
  if (!was_there)
    return Error{Concat("step '", step, "' left no file '", TruncateUtf8(name, 80), "'", DidYouMean(name, names),
                        names.empty() ? "" : "; there are ", Join(names, ", "))};
  const Json& kept = At(At(At(result, "files"), step), name);
  if (!kept.is_string())
    return Error{Concat("file '", name, "' of step '", step, "' was not kept: a run keeps ",
                        FormatBytes(kMostKeptFileBytes), " of files; `kgym workflow run --artefacts` keeps all")};
  return FromBase64(kept.get_ref<const std::string&>());
}

std::string ReasonOf(const Json& report) {
  const std::string outcome = GetStringOr(report, "outcome", "").value_or("");
  if (outcome == "ok") return "";
  const Result<const Json*> steps = GetArray(report, "steps");
  if (!steps.ok()) return "";
  for (const Json& step : **steps) {
    if (GetStringOr(step, "state", "").value_or("") != "failed") continue;
    if (GetStringOr(step, "outcome", "").value_or("") != outcome) continue;
    return Concat("step '", GetStringOr(step, "name", "").value_or(""),
                  "': ", GetStringOr(step, "reason", "").value_or(""));
  }
  return "";
}

}  // namespace kgym::service
