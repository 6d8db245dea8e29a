// What `kgym submit` sends for what was named on its command line: a body for each submission or run of a workflow, in
// the server's schema (`Submission` of its OpenAPI document), under an id that is made here.
//
// Threads: main. Reads files.
#pragma once

#include <string>
#include <vector>

#include "apps/kgym/client_options.h"
#include "base/json.h"
#include "base/result.h"

namespace kgym::app {

/// One that was asked for. A row that cannot be read has no body, and an error that says why.
struct Request {
  std::string name;  // Of the row or file, for people.
  int number = 1;
  std::string id;
  Json body = nullptr;
  std::string error;
};

struct Requests {
  std::vector<Request> all;
  std::string run;  // That they belong to; of many always one, so that they can be waited for together.
};

/// An error where not one can be told, or an option is wrong.
Result<Requests> ReadRequests(const SubmitOptions& options);

/// The one that --workflow asks for. `offered`: what the server answers to GET /v1/workflows, which tells the types.
Result<Requests> ReadWorkflowRequest(const SubmitOptions& options, const Json& offered);

}  // namespace kgym::app
