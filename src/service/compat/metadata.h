// The `metadata` of a KernelGYM answer, from a verdict: names and types as its clients read them, for what we measure.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"

namespace kgym::service::kernelgym {

/// `verdict` as in docs/verdict.md; `request`: RequestOf() of the task.
Json MetadataOf(const Json& verdict, const Json& request, const std::string& task_id);

}  // namespace kgym::service::kernelgym
