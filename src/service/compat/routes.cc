#include "service/compat/routes.h"

#include "base/text.h"

namespace kgym::service::kernelgym {
namespace {

constexpr std::size_t kBodyLimit = std::size_t{64} << 20;  // A batch of a hundred, each with 200,000 characters.

std::vector<http::Parameter> PathParameters(const std::string& path) {
  std::vector<http::Parameter> found;
  for (const std::string& segment : Split(path, '/')) {
    if (segment.size() > 2 && segment.front() == '{')
      found.push_back({segment.substr(1, segment.size() - 2), "Of what it is about."});
  }
  return found;
}

}  // namespace

void Table::AddBelow(const char* method, const std::string& path, const char* id, const char* summary,
                     http::Scope scope, Handler handler, std::vector<http::Parameter> query, Body body) {
  Front& front = front_;
  routes_.Add({.method = method,
               .path = path,
               .id = id,
               .summary = summary,
               .tag = "kernelgym",
               .scope = scope,
               .in_path = PathParameters(path),
               .query = std::move(query),
               .body = std::move(body.checked),
               .body_limit = kBodyLimit,
               .answers = {{200, "As KernelGYM answers.", Json{{"type", "object"}}},
                           {404, "What it is about is not known."},
                           {409, "It is in the way of something that is there."},
                           {500, "A workflow that cannot be submitted; KernelGYM calls that its own fault."}},
               .handler = [&front, handler](http::Request& request) { return handler(front, request); },
               .any_query = true,
               .shown_body = std::move(body.shown),
               .refuse = ToKernelGym});
}

void Table::Add(const char* method, const std::string& path, const char* id, const char* summary, http::Scope scope,
                Handler handler, std::vector<http::Parameter> query, Body body) {
  AddBelow(method, path, id, summary, scope, handler, query, body);
  const std::string below = Concat(id, "Below");
  AddBelow(method, "/kernelgym" + path, below.c_str(), summary, scope, handler, std::move(query), std::move(body));
}

http::Response Detail(int status, const std::string& text) {
  const Json body = {{"detail", ToUtf8(text)}};
  return http::JsonResponse(body, status);
}

http::Response Invalid(const std::string& faults) { return ToKernelGym({422, "invalid", faults}); }

std::unique_ptr<Front> AddKernelGymRoutes(http::Routes& routes, Api& api) {
  auto front = std::make_unique<Front>(api);
  Table table(routes, *front);
  AddTaskRoutes(table);
  AddWorkerRoutes(table);
  AddMonitorRoutes(table);
  return front;
}

}  // namespace kgym::service::kernelgym
