#include "apps/kgym/workflow_input.h"

#include "base/files.h"
#include "base/text.h"

namespace kgym::app {
namespace {

/// The value of --field: text where the field takes text, else JSON; @FILE for what a file holds.
Result<Json> FieldValue(const judge::TypedField& field, const std::string& said) {
  std::string text = said;
  if (said.starts_with("@")) {
    KGYM_TRY(text, ReadFile(said.substr(1)));
  }
  if (field.type.Check(Json(text), "").ok()) return Json(std::move(text));
  Result<Json> value = ParseJson(text);
  if (!value.ok())
    return Error{
        Concat("--field ", field.name, ": '", text.substr(0, 40), "' found; ", field.type.text(), " is expected")};
  return value;
}

}  // namespace

Result<Json> ReadWorkflowInput(const std::string& workflow, const judge::TypedFields& fields, const std::string& file,
                               const std::vector<std::string>& assignments) {
  Json input = Json::object();
  if (!file.empty()) {
    KGYM_TRY(const std::string text, ReadFile(file));
    KGYM_TRY(input, ParseJson(text, file));
    if (!input.is_object()) return Error{file + ": an object with the workflow's input is expected"};
  }
  std::vector<std::string> names;
  for (const judge::TypedField& one : fields) names.push_back(one.name);
  for (const std::string& assignment : assignments) {
    const std::size_t equals = assignment.find('=');
    const std::string name = assignment.substr(0, equals);
    const judge::TypedField* field = judge::FindField(fields, name);
    if (equals == std::string::npos)
      return Error{Concat("--field '", assignment, "'; NAME=VALUE or NAME=@FILE is expected")};
    if (field == nullptr)
      return Error{Concat("--field: workflow '", workflow, "' has no input '", name, "'", DidYouMean(name, names),
                          "; it has ", Join(names, ", "))};
    KGYM_TRY(input[name], FieldValue(*field, assignment.substr(equals + 1)));
  }
  return judge::Complete(fields, std::move(input), Concat("workflow '", workflow, "'"));
}

}  // namespace kgym::app
