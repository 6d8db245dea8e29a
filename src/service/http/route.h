// The routes: one table that dispatches requests and describes itself as an OpenAPI 3.1 document.
//
// Threads: filled before the server starts, constant afterwards.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "service/http/access.h"
#include "service/http/message.h"
#include "service/http/refusal.h"

namespace kgym::http {

using Handler = std::function<Awaitable<Response>(Request&)>;

struct Parameter {
  std::string name;
  std::string meaning;
  Json schema = {{"type", "string"}};
  bool required = false;  // In a query. The handler says so where it is missing.
};

/// One kind of answer.
struct Answer {
  int status = 200;
  std::string meaning;
  Json schema = nullptr;  // Null where there is no body, or one that JSON Schema cannot describe.
  std::string content_type = "application/json";
};

struct Route {
  std::string method;
  std::string path;  // "/v1/evaluations/{id}": a parameter is one whole segment.
  std::string id;    // "getEvaluation", unique.
  std::string summary = {};
  std::string tag = {};
  Scope scope = Scope::kRead;
  std::vector<Parameter> in_path = {};
  std::vector<Parameter> query = {};
  Json body = nullptr;         // Schema of the request's JSON; null where there is no such body.
  std::string body_type = {};  // Of a body that is not JSON and that the handler reads as it is: its media type.
  std::size_t body_limit = std::size_t{4} << 20;
  std::vector<Answer> answers = {};  // The refusals that every route can give are added in the document.
  Handler handler;

  // For an API of somebody else's design:
  bool any_query = false;     // Parameters that are not listed are ignored.
  Json shown_body = nullptr;  // In the document, where the handler's rules say more than `body`.
  std::function<Response(const Refusal&)> refuse = {};  // Its form of an error; a problem document where it has none.
};

class Routes {
 public:
  /// A second route of one method and path, or a path parameter without its description, is a bug.
  void Add(Route route);

  /// A schema that others name by $ref.
  void AddSchema(const std::string& name, Json schema) { schemas_[name] = std::move(schema); }
  const Json& schemas() const { return schemas_; }

  struct Found {
    const Route* route = nullptr;      // Null where the path is known and the method is not.
    std::vector<std::string> allowed;  // Methods that the path has, HEAD and OPTIONS among them.
    std::map<std::string, std::string> in_path;
  };
  /// None where no route has this path. HEAD finds the route of GET.
  std::optional<Found> Find(std::string_view method, const std::vector<std::string>& segments) const;

  const std::vector<std::unique_ptr<Route>>& all() const { return all_; }

  /// Nearest known path, for a message; empty where nothing is near.
  std::string Nearest(const std::string& path) const;

 private:
  std::vector<std::unique_ptr<Route>> all_;
  std::vector<std::vector<std::string>> segments_;  // Of each one's path.
  Json schemas_ = Json::object();
};

/// The OpenAPI 3.1 document of the table. `open`: no token is asked for.
Json OpenApi(const Routes& routes, const std::string& title, const std::string& version, bool open);

}  // namespace kgym::http
