// The labels of a task as text, as both queues keep them.
//
// Threads: any.
#pragma once

#include <map>
#include <string>

#include "base/result.h"

namespace kgym::service {

using Labels = std::map<std::string, std::string>;

std::string LabelsText(const Labels& labels);  // A JSON object; empty where there are none.
Result<Labels> ParseLabels(const std::string& text);

}  // namespace kgym::service
