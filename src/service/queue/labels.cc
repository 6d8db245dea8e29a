#include "service/queue/labels.h"

#include "base/json.h"

namespace kgym::service {

std::string LabelsText(const Labels& labels) { return labels.empty() ? std::string() : DumpJson(Json(labels)); }

Result<Labels> ParseLabels(const std::string& text) {
  Labels labels;
  if (text.empty()) return labels;
  KGYM_TRY(const Json json, ParseJson(text, "labels"));
  for (const auto& [key, value] : json.items()) {
    KGYM_TRY(labels[key], GetString(json, key));
  }
  return labels;
}

}  // namespace kgym::service
