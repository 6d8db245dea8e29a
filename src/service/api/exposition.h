// Prometheus' text format, version 0.0.4.
//
// Threads: one at a time.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace kgym::service {

class Exposition {
 public:
  using Labels = std::vector<std::pair<std::string, std::string>>;

  /// Begins a metric; `type` is counter, gauge or histogram.
  void Metric(std::string_view name, std::string_view type, std::string_view help);

  /// A sample of the metric begun last.
  void Sample(const Labels& labels, double value);

  /// A histogram's samples. `at_most`: how many lie between each bound and the one below it.
  template <class Bounds, class Counts>
  void Histogram(const Labels& labels, const Bounds& bounds, const Counts& at_most, std::int64_t count, double sum) {
    double below = 0;
    auto bucket = at_most.begin();
    for (const double bound : bounds) {
      below += static_cast<double>(*bucket++);
      Bucket(labels, bound, below);
    }
    Last(labels, count, sum);
  }

  const std::string& text() const { return text_; }

 private:
  void Bucket(Labels labels, double bound, double count);
  void Last(const Labels& labels, std::int64_t count, double sum);
  void Line(std::string_view suffix, const Labels& labels, double value);

  std::string name_;
  std::string text_;
};

}  // namespace kgym::service
