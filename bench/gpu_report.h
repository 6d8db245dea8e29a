// Figures of a bench: printed as they come, each beside its target and what it is compared with, and kept as JSON.
//
// A figure that could not be measured is not added; Note() says why. Times carry their unit in the name.
//
// Threads: one.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/json.h"
#include "base/result.h"

namespace kgym::bench {

struct Figure {
  std::string name;  // "throughput_per_hour".
  double value = 0;
  std::string unit;
  std::size_t runs = 0;  // That it rests on.
  std::optional<double> at_least = {}, at_most = {};
  std::string beside = {};  // What a reader compares it with.
};

class Report {
 public:
  /// `file`: where Write() puts the record; empty for nowhere.
  explicit Report(std::string file) : file_(std::move(file)) {}

  /// Begins a part of the bench.
  void Part(const std::string& name, const std::string& sentence);
  void Add(const Figure& figure);
  void Note(const std::string& sentence);

  /// What the record has beside the figures: Set("card", {...}) of the whole, Detail("stages", {...}) of the part.
  void Set(std::string_view key, Json value) { record_[std::string(key)] = std::move(value); }
  void Detail(std::string_view key, Json value) { record_["parts"][part_][std::string(key)] = std::move(value); }

  /// A verdict that was not what it had to be: counted, shown, and the reason why the program ends with 1.
  void Unexpected(const std::string& sentence);
  int unexpected() const { return unexpected_; }

  /// The record so far, so that what was measured outlives an interruption.
  Status Write() const;

 private:
  std::string file_;
  std::string part_ = "all";
  Json record_ = {{"schema", "kgym.gpu_bench/1"}, {"figures", Json::object()}};
  int unexpected_ = 0;
};

/// The value below which a share of the values lies; `share` in (0, 1]. Empty input is a broken invariant.
double Quantile(std::vector<double> values, double share);

}  // namespace kgym::bench
