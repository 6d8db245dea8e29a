// JSON schemas of KernelGYM's bodies, for the OpenAPI document. They are as lenient as fields.h: what they leave open
// is read there.
//
// Threads: any; pure.
#pragma once

#include "base/json.h"

namespace kgym::service::kernelgym {

Json EvaluationBody();
Json BatchBody();
Json WorkflowBody();

}  // namespace kgym::service::kernelgym
