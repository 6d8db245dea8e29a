#include "service/api/catalogue.h"

#include "base/text.h"

namespace kgym::service {

Result<Catalogue> Catalogue::Read(judge::SuiteKind kind, const std::filesystem::path& root) {
  KGYM_TRY(const judge::Suite suite, judge::Suite::Open(kind, root));
  Catalogue catalogue;
  for (const std::string& name : suite.names()) {
    KGYM_TRY(judge::Problem problem, suite.Load(name));
    const judge::ProblemOutline outline = judge::OutlineOf(problem.source);
    catalogue.outlines_.push_back(
        {{"name", problem.name}, {"sentence", outline.sentence}, {"workloads", outline.workloads}});
    catalogue.names_.push_back(problem.name);
    catalogue.problems_.emplace(problem.name, std::move(problem));
  }
  return catalogue;
}

Result<judge::Problem> Catalogue::Find(const std::string& name) const {
  const auto found = problems_.find(name);
  if (found != problems_.end()) return found->second;
  if (names_.empty())
    return Error{Concat("no problem '", name, "': this server has no suite; send the problem's source")};
  return Error{
      Concat("no problem '", TruncateUtf8(name, 80), "'", DidYouMean(name, names_), "; GET /v1/problems lists all")};
}

}  // namespace kgym::service
