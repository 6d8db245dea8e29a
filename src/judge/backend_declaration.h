// A backend that an operator declares in a YAML file, as the zygote is told of it.
//
//   name: c                        the file's name
//   description: one sentence
//   devices: [cpu]                 where it runs: cpu, cuda
//   speed_on: [cpu]                where a time means something; default: all of `devices`
//   needs_build: true              a builder host imports the submission first; default: false
//   packages: [torch]              what must be importable
//   tools: [gcc]                   what must be on the PATH
//   time_scale: {cpu: 2}           by how much time limits grow
//   kernels:                       classes whose objects are compiled kernels: making one defines it, `call` launches
//   it
//     - {module: numba.core.dispatcher, class: Dispatcher, call: __call__}
//   adapter: c.py                  Python beside the file, with `install(context)`, `translate(source)` or both
//
// Threads: any; reads the adapter.
#pragma once

#include <string>

#include "base/json.h"
#include "base/result.h"

namespace kgym::judge {

/// The declaration with every key, and the adapter's source. `path` is where it was read, `name` the file's.
Result<Json> ReadBackendDeclaration(const Json& said, const std::string& path, const std::string& name);

}  // namespace kgym::judge
