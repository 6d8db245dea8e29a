#include "service/api/outcome_note.h"

#include "base/text.h"
#include "service/api/workflow_result.h"

namespace kgym::service {

std::string VerdictResult(const Json& verdict) { return DumpJson({{"verdict", verdict}}); }

std::string ErrorResult(const std::string& kind, const std::string& message, const std::string& traceback) {
  return DumpJson({{"error", {{"kind", kind}, {"message", ToUtf8(message)}, {"traceback", ToUtf8(traceback)}}}});
}

OutcomeNote NoteOf(const std::string& result) {
  const Result<Json> json = ParseJson(result, "result");
  if (json.ok() && json->is_object() && json->contains("error") && (*json)["error"].is_object())
    return {"error", GetStringOr((*json)["error"], "message", "").value_or(""), std::nullopt};
  if (json.ok() && json->is_object() && json->contains("report")) {
    const Json& report = (*json)["report"];
    return {GetStringOr(report, "outcome", "").value_or("unreadable"), ReasonOf(report), std::nullopt};
  }
  if (!json.ok() || !json->is_object() || !json->contains("verdict") || !(*json)["verdict"].is_object())
    return {"unreadable", "its result is not a verdict", std::nullopt};
  const Json& verdict = (*json)["verdict"];
  OutcomeNote note{GetStringOr(verdict, "outcome", "").value_or("unreadable"),
                   GetStringOr(verdict, "reason", "").value_or(""), std::nullopt};
  if (const Result<double> speedup = GetDouble(verdict, "speedup"); speedup.ok()) note.speedup = *speedup;
  return note;
}

}  // namespace kgym::service
