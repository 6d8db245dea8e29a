// KernelGYM's HTTP API (hkust-nlp/KernelGYM, commit 3a84417), so that its published clients work unchanged.
//
// At the root are all of its paths but three that are ours: `/` is the page, `/health` has its `status` and our fields,
// `/metrics` is Prometheus'. Below `/kernelgym` is all of it, to the letter: a client whose server URL ends in
// /kernelgym sees nothing else. docs/kernelgym.md says where we differ on purpose.
//
// Threads: the HTTP server's executor.
#pragma once

#include <memory>

#include "service/api/api.h"
#include "service/compat/desk.h"
#include "service/compat/worker_book.h"

namespace kgym::service::kernelgym {

/// What the routes share; must outlive the table.
struct Front {
  explicit Front(Api& api) : desk(api) {}

  Desk desk;
  WorkerBook book;
};

/// Adds every route. `api` must outlive the table and what is returned, which the routes point into.
std::unique_ptr<Front> AddKernelGymRoutes(http::Routes& routes, Api& api);

// The parts of it, a file each.
using Handler = Awaitable<http::Response> (*)(Front&, http::Request&);

/// What is checked of a body, and what the document shows; null for none.
struct Body {
  Json checked = nullptr, shown = nullptr;
};

class Table {
 public:
  Table(http::Routes& routes, Front& front) : routes_(routes), front_(front) {}

  /// At the root and below /kernelgym. `query`: names of its parameters.
  void Add(const char* method, const std::string& path, const char* id, const char* summary, http::Scope scope,
           Handler handler, std::vector<http::Parameter> query = {}, Body body = {});
  /// Below /kernelgym alone.
  void AddBelow(const char* method, const std::string& path, const char* id, const char* summary, http::Scope scope,
                Handler handler, std::vector<http::Parameter> query = {}, Body body = {});

 private:
  http::Routes& routes_;
  Front& front_;
};

void AddTaskRoutes(Table& table);     // /evaluate, /workflow, /status, /results, /tasks, /debug.
void AddWorkerRoutes(Table& table);   // /worker, /workers, /node.
void AddMonitorRoutes(Table& table);  // /, /health, /metrics, /queue, /monitoring.

http::Response Detail(int status, const std::string& text);
http::Response Invalid(const std::string& faults);

}  // namespace kgym::service::kernelgym
