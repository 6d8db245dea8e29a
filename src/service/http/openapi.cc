#include <algorithm>
#include <cctype>
#include <set>

#include "base/text.h"
#include "service/http/route.h"

namespace kgym::http {
namespace {

/// As it can be in a target, where no text has a NUL.
Json InTarget(Json schema) {
  const bool any_text =
      schema.value("type", Json()) == "string" && !schema.contains("pattern") && !schema.contains("enum");
  if (any_text) schema["pattern"] = R"(^[^\x00]*$)";
  return schema;
}

Json ParameterJson(const Parameter& parameter, const char* place) {
  return {{"name", parameter.name},
          {"in", place},
          {"required", parameter.required || std::string_view(place) == "path"},
          {"description", parameter.meaning},
          {"schema", InTarget(parameter.schema)}};
}

Json Content(const std::string& type, const Json& schema) {
  return {{type, {{"schema", schema.is_null() ? Json::object() : schema}}}};
}

/// A problem document; on a route that has a form of its own, that one or, where it was refused before the route was
/// known, a problem document.
Json RefusalJson(const Route& route, const std::string& meaning) {
  Json content = Content(kProblemType, {{"$ref", "#/components/schemas/Problem"}});
  if (route.refuse) content.update(Content("application/json", {{"type", "object"}}));
  return {{"description", meaning}, {"content", std::move(content)}};
}

/// The answers of a route: its own, and the refusals that it can come to.
Json Responses(const Route& route, bool open) {
  Json responses = Json::object();
  for (const Answer& answer : route.answers) {
    Json& response = responses[std::to_string(answer.status)];
    response["description"] = answer.meaning;
    if (answer.status >= 400) {
      response = RefusalJson(route, answer.meaning);
    } else if (answer.status != 204) {
      response["content"].update(Content(answer.content_type, answer.schema));
    }
  }
  const auto refusal = [&](const char* status, const char* meaning) {
    if (!responses.contains(status)) responses[status] = RefusalJson(route, meaning);
  };
  refusal("400", "The request cannot be read: its target, its headers, or its JSON.");
  if (!route.in_path.empty() || !route.query.empty() || !route.body.is_null()) {
    refusal("422", "A parameter or a field of the body does not fit its schema.");
  }
  const bool raw = !route.body_type.empty();
  if (!route.body.is_null() || raw) {
    refusal("413", "The body is larger than this route takes.");
    refusal("415", raw ? "The body is not of this type, or coded."
                       : "The body is not JSON, or in a coding other than gzip and zstd.");
  }
  if (route.scope != Scope::kNone && !open) {
    refusal("401", "No token, or one that is not known.");
    refusal("403", "The token lacks the scope.");
  }
  if (open) refusal("403", "A web page of another origin asks.");
  if (route.scope != Scope::kNone)
    refusal("429", "The token asks too often, or the queue is full; Retry-After says when.");
  refusal("503", "The server stops, is full, or its queue cannot be reached.");
  return responses;
}

Json Operation(const Route& route, bool open) {
  Json operation = {{"operationId", route.id}, {"summary", route.summary}, {"tags", {route.tag}}};
  Json parameters = Json::array();
  for (const Parameter& one : route.in_path) parameters.push_back(ParameterJson(one, "path"));
  for (const Parameter& one : route.query) parameters.push_back(ParameterJson(one, "query"));
  if (!parameters.empty()) operation["parameters"] = std::move(parameters);
  if (!route.body.is_null()) {
    const Json& shown = route.shown_body.is_null() ? route.body : route.shown_body;
    operation["requestBody"] = {{"required", true}, {"content", Content("application/json", shown)}};
  }
  if (!route.body_type.empty()) {
    const Json bytes = {{"type", "string"}, {"contentMediaType", route.body_type}};
    operation["requestBody"] = {{"required", true}, {"content", Content(route.body_type, bytes)}};
  }
  operation["responses"] = Responses(route, open);
  if (route.scope == Scope::kNone || open) {
    operation["security"] = Json::array();
  } else {
    operation["security"] = Json::array({Json{{"token", Json::array()}}});
    operation["description"] = Concat("Needs the scope `", Name(route.scope), "`.");
  }
  return operation;
}

}  // namespace

Json OpenApi(const Routes& routes, const std::string& title, const std::string& version, bool open) {
  Json paths = Json::object();
  for (const auto& route : routes.all()) {
    std::string method = route->method;
    std::ranges::transform(method, method.begin(), [](unsigned char c) { return static_cast<char>(std::tolower(c)); });
    paths[route->path][method] = Operation(*route, open);
  }
  Json schemas = routes.schemas();
  schemas["Problem"] = RefusalSchema();
  return {
      {"openapi", "3.1.0"},
      {"info", {{"title", title}, {"version", version}}},
      {"paths", std::move(paths)},
      {"components",
       {{"schemas", std::move(schemas)}, {"securitySchemes", {{"token", {{"type", "http"}, {"scheme", "bearer"}}}}}}}};
}

}  // namespace kgym::http
