#include "service/api/workflow_catalogue.h"

#include <algorithm>

#include "base/text.h"

namespace kgym::service {

Result<WorkflowCatalogue> WorkflowCatalogue::Read(const std::filesystem::path& extensions) {
  KGYM_TRY(const judge::Extensions read, judge::Extensions::Read(extensions));
  return Of(read.workflows);
}

Result<WorkflowCatalogue> WorkflowCatalogue::Of(const std::vector<judge::Extensions::File>& workflows) {
  WorkflowCatalogue catalogue;
  for (const judge::Extensions::File& file : workflows) {
    KGYM_TRY(judge::Workflow workflow, judge::ReadWorkflowHead(file.json, file.path));
    catalogue.workflows_.push_back(std::move(workflow));
  }
  return catalogue;
}

Result<const judge::Workflow*> WorkflowCatalogue::Find(const std::string& name) const {
  const auto found = std::ranges::find(workflows_, name, &judge::Workflow::name);
  if (found != workflows_.end()) return &*found;
  if (workflows_.empty())
    return Error{Concat("no workflow '", name, "': this server has none; its judge.extensions names their folder")};
  std::vector<std::string> names;
  for (const judge::Workflow& workflow : workflows_) names.push_back(workflow.name);
  return Error{Concat("no workflow '", name, "'", DidYouMean(name, names), "; GET /v1/workflows lists all")};
}

Json WorkflowCatalogue::outlines() const {
  Json outlines = Json::array();
  for (const judge::Workflow& workflow : workflows_) {
    outlines.push_back(
        {{"name", workflow.name}, {"description", workflow.description}, {"input", judge::ToJson(workflow.input)}});
  }
  return outlines;
}

}  // namespace kgym::service
