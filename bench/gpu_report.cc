#include "gpu_report.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "base/check.h"
#include "base/clock.h"
#include "base/files.h"
#include "base/text.h"

namespace kgym::bench {
namespace {

constexpr std::size_t kNameWidth = 40, kValueWidth = 14;
constexpr int kShownUnexpected = 20;

void Print(const std::string& line) {
  std::fputs((line + "\n").c_str(), stdout);
  std::fflush(stdout);
}

std::string Padded(std::string text, std::size_t width) {
  text.resize(std::max(width, text.size() + 1), ' ');
  return text;
}

bool Met(const Figure& figure) {
  return !(figure.at_least && figure.value < *figure.at_least) && !(figure.at_most && figure.value > *figure.at_most);
}

std::string Target(const Figure& figure) {
  if (!figure.at_least && !figure.at_most) return "";
  return Concat(figure.at_least ? "target at least " : "target at most ",
                figure.at_least ? *figure.at_least : *figure.at_most, Met(figure) ? ": met" : ": MISSED");
}

}  // namespace

void Report::Part(const std::string& name, const std::string& sentence) {
  part_ = name;
  Print(Concat(name, ": ", sentence));
}

void Report::Add(const Figure& figure) {
  std::string line = Concat("  ", Padded(figure.name, kNameWidth),
                            Padded(Concat(figure.value, figure.unit.empty() ? "" : " ", figure.unit), kValueWidth));
  if (figure.runs > 0) line += Concat(" n=", figure.runs);
  for (const std::string& more : {Target(figure), figure.beside}) {
    if (!more.empty()) line += "   " + more;
  }
  Print(line);
  Json json = {{"value", figure.value}, {"unit", figure.unit}, {"runs", figure.runs}};
  if (figure.at_least) json["at_least"] = *figure.at_least;
  if (figure.at_most) json["at_most"] = *figure.at_most;
  if (figure.at_least || figure.at_most) json["met"] = Met(figure);
  if (!figure.beside.empty()) json["beside"] = figure.beside;
  record_["figures"][figure.name] = std::move(json);
}

void Report::Note(const std::string& sentence) {
  Print("  " + sentence);
  record_["parts"][part_]["notes"].push_back(sentence);
}

void Report::Unexpected(const std::string& sentence) {
  record_["parts"][part_]["unexpected"].push_back(sentence);
  if (++unexpected_ <= kShownUnexpected) Print("  NOT AS EXPECTED: " + sentence);
}

Status Report::Write() const {
  if (file_.empty()) return Ok();
  Json record = record_;
  record["written_at"] = WallTime();
  record["unexpected"] = unexpected_;
  return WriteFileAtomic(file_, DumpJson(record, 1) + "\n");
}

double Quantile(std::vector<double> values, double share) {
  KGYM_CHECK(!values.empty());
  std::ranges::sort(values);
  const auto rank = static_cast<std::size_t>(std::ceil(share * static_cast<double>(values.size())));
  return values[std::clamp<std::size_t>(rank, 1, values.size()) - 1];
}

}  // namespace kgym::bench
