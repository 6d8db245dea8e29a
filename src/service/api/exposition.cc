#include "service/api/exposition.h"

#include <charconv>

#include "base/text.h"

namespace kgym::service {
namespace {

std::string Number(double value) {
  char digits[32];
  const auto end = std::to_chars(digits, digits + sizeof digits, value).ptr;
  return {digits, end};
}

std::string Escaped(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '\\' || c == '"') escaped += '\\';
    if (c == '\n') {
      escaped += "\\n";
    } else {
      escaped += c;
    }
  }
  return escaped;
}

}  // namespace

void Exposition::Metric(std::string_view name, std::string_view type, std::string_view help) {
  name_ = name;
  text_ += Concat("# HELP ", name, " ", help, "\n# TYPE ", name, " ", type, "\n");
}

void Exposition::Sample(const Labels& labels, double value) { Line("", labels, value); }

void Exposition::Bucket(Labels labels, double bound, double count) {
  labels.emplace_back("le", Number(bound));
  Line("_bucket", labels, count);
}

void Exposition::Last(const Labels& labels, std::int64_t count, double sum) {
  Labels all = labels;
  all.emplace_back("le", "+Inf");
  Line("_bucket", all, static_cast<double>(count));
  Line("_sum", labels, sum);
  Line("_count", labels, static_cast<double>(count));
}

void Exposition::Line(std::string_view suffix, const Labels& labels, double value) {
  text_ += Concat(name_, suffix);
  for (std::size_t i = 0; i < labels.size(); ++i)
    text_ += Concat(i == 0 ? "{" : ",", labels[i].first, "=\"", Escaped(labels[i].second), "\"");
  text_ += Concat(labels.empty() ? " " : "} ", Number(value), "\n");
}

}  // namespace kgym::service
