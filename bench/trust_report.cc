#include "trust_report.h"

#include <cstdio>

#include "apps/kgym/table.h"
#include "base/text.h"
#include "gpu_report.h"

namespace kgym::bench {
namespace {

using app::Cell;
using app::Colour;
using app::Table;

std::string Fixed(double value, int digits) {
  char text[32];
  std::snprintf(text, sizeof text, "%.*f", digits, value);
  return text;
}

std::string Percent(const Share& share) { return share.of == 0 ? "-" : Fixed(100 * share.value(), 1) + " %"; }

std::string Interval(const Share& share) {
  return share.of == 0 ? "-" : Concat(Fixed(100 * share.low, 1), " to ", Fixed(100 * share.high, 1));
}

std::string Seconds(const std::vector<double>& ms, double share) {
  return ms.empty() ? "-" : Fixed(Quantile(ms, share) / 1e3, 2);
}

Json ShareJson(const Share& share) {
  if (share.of == 0) return nullptr;
  return {{"part", share.part}, {"of", share.of}, {"value", share.value()}, {"interval", {share.low, share.high}}};
}

Json TallyJson(const Tally& tally) {
  Json ends = Json::object();
  for (const auto& [end, count] : tally.ends) ends[std::string(ToString(end))] = count;
  Json json = {
      {"claim", ToString(tally.claim)}, {"cases", tally.cases.size()},      {"runs", tally.runs()},
      {"ends", std::move(ends)},        {"outcomes", Json(tally.outcomes)}, {"share", ShareJson(tally.Trusted())}};
  json["median_ms"] = tally.ms.empty() ? Json(nullptr) : Json(Quantile(tally.ms, 0.5));
  json["p99_ms"] = tally.ms.empty() ? Json(nullptr) : Json(Quantile(tally.ms, 0.99));
  return json;
}

/// "cheats caught: 118 of 120 (98.3 %, 95 % interval 94.1 to 99.8)".
std::string TotalLine(std::string_view what, const Share& share) {
  if (share.of == 0) return "";
  return Concat(what, ": ", share.part, " of ", share.of, " (", Percent(share), ", 95 % interval ", Interval(share),
                ")\n");
}

Cell Marked(std::size_t count, Colour colour) { return {Concat(count), count > 0 ? colour : Colour::kPlain}; }

}  // namespace

void TrustReport::Add(const std::string& group, Claim claim, const Sample& sample) {
  Tally& tally = rows_[{claim, group}];
  tally.claim = claim;
  tally.Add(sample);
  ++runs_[sample.name];
  if (sample.end == End::kRight) return;
  Otherwise& other = otherwise_[{sample.name, sample.outcome}];
  if (other.times++ == 0) other = {group, sample, 1};
}

Tally TrustReport::Total(Claim claim) const {
  Tally total;
  total.claim = claim;
  for (const auto& [key, tally] : rows_) {
    if (key.first == claim) total.Add(tally);
  }
  return total;
}

std::size_t TrustReport::Count(End end) const {
  std::size_t count = 0;
  for (const auto& [key, tally] : rows_) count += tally.Count(end);
  return count;
}

std::string TrustReport::Classes(bool colour) const {
  constexpr auto kRight = Table::Align::kRight;
  Table table({{mutants_ ? "mutation" : "class"},
               {"of"},
               {mutants_ ? "variants" : "cases", kRight},
               {"runs", kRight},
               {mutants_ ? "rejected" : "expected", kRight},
               {mutants_ ? "failed" : "otherwise", kRight},
               {mutants_ ? "survived" : "wrong", kRight},
               {"dormant", kRight},
               {"no verdict", kRight},
               {mutants_ ? "caught" : "right", kRight},
               {"95 % interval", kRight},
               {"median s", kRight},
               {"p99 s", kRight}});
  for (const auto& [key, tally] : rows_) {
    const Share share = tally.Trusted();
    table.Add({{key.second},
               {std::string(ToString(key.first))},
               {Concat(tally.cases.size())},
               {Concat(tally.runs())},
               {Concat(tally.Count(End::kRight))},
               {Concat(tally.Count(End::kOtherwise))},
               Marked(tally.Count(End::kWrong), Colour::kRed),
               {Concat(tally.Count(End::kDormant))},
               Marked(tally.Count(End::kNoVerdict), Colour::kYellow),
               {Percent(share)},
               {Interval(share)},
               {Seconds(tally.ms, 0.5)},
               {Seconds(tally.ms, 0.99)}});
  }
  return table.Text(colour);
}

std::string TrustReport::Totals() const {
  return TotalLine("cheats caught", Total(Claim::kCheat).Trusted()) +
         TotalLine("mutants caught", Total(Claim::kMutant).Trusted()) +
         TotalLine("honest rejected", Total(Claim::kHonest).Wrong()) +
         TotalLine("faults found", Total(Claim::kFault).Trusted());
}

std::string TrustReport::Listing(bool colour) const {
  std::string text;
  for (const auto& [key, other] : otherwise_) {
    const auto& [name, outcome] = key;
    const Colour shade = other.first.end == End::kWrong ? Colour::kRed : Colour::kPlain;
    text += Concat(app::Paint(ToString(other.first.end), shade, colour), "  ", name, "  ", outcome, " (", other.times,
                   " of ", runs_.at(name), "; ", other.group, "): ", app::Printable(other.first.reason), "\n");
  }
  return text;
}

std::string TrustReport::Text(bool colour) const {
  std::string text = Classes(colour) + "\n" + Totals();
  if (!otherwise_.empty()) text += "\n" + Listing(colour);
  return text;
}

Json TrustReport::ToJson() const {
  Json json = {{"classes", Json::array()}, {"totals", Json::object()}, {"otherwise", Json::array()}};
  for (const auto& [key, tally] : rows_) {
    Json row = TallyJson(tally);
    row["class"] = key.second;
    json["classes"].push_back(std::move(row));
  }
  json["totals"] = {{"cheats_caught", ShareJson(Total(Claim::kCheat).Trusted())},
                    {"mutants_caught", ShareJson(Total(Claim::kMutant).Trusted())},
                    {"honest_rejected", ShareJson(Total(Claim::kHonest).Wrong())},
                    {"faults_found", ShareJson(Total(Claim::kFault).Trusted())},
                    {"wrong", wrong()},
                    {"no_verdict", without_verdict()}};
  for (const auto& [key, other] : otherwise_) {
    json["otherwise"].push_back({{"case", key.first},
                                 {"class", other.group},
                                 {"outcome", key.second},
                                 {"end", ToString(other.first.end)},
                                 {"times", other.times},
                                 {"of", runs_.at(key.first)},
                                 {"reason", ToUtf8(other.first.reason)}});
  }
  return json;
}

}  // namespace kgym::bench
