// JSON schemas of KernelGYM's bodies: what is checked before a handler sees them, and what the OpenAPI document shows.
// The first leave open what fields.h reads, with the words of the original's errors; the second say all of it.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"

namespace kgym::service::kernelgym {

Json EvaluationBody();
Json BatchBody();
Json WorkflowBody();

Json EvaluationShown();
Json BatchShown();
Json WorkflowShown();

}  // namespace kgym::service::kernelgym
