#include "service/api/exposition.h"

#include <gtest/gtest.h>

#include "service/api/histogram.h"

namespace kgym::service {
namespace {

TEST(Exposition, IsPrometheusText) {
  Exposition text;
  text.Metric("kgym_things_total", "counter", "Things.");
  text.Sample({}, 3);
  text.Sample({{"name", "a\"b\\c\nd"}, {"kind", "x"}}, 0.25);
  EXPECT_EQ(text.text(),
            "# HELP kgym_things_total Things.\n# TYPE kgym_things_total counter\nkgym_things_total 3\n"
            "kgym_things_total{name=\"a\\\"b\\\\c\\nd\",kind=\"x\"} 0.25\n");
}

TEST(Exposition, HistogramsAddUp) {
  Histogram one({0.1, 1});
  for (const double value : {0.05, 0.1, 0.5, 7.0}) one.Count(value);
  Exposition text;
  text.Metric("t", "histogram", "Times.");
  text.Histogram({{"l", "v"}}, one.bounds(), one.at_most(), one.count(), one.sum());
  EXPECT_EQ(text.text(),
            "# HELP t Times.\n# TYPE t histogram\nt_bucket{l=\"v\",le=\"0.1\"} 2\nt_bucket{l=\"v\",le=\"1\"} 3\n"
            "t_bucket{l=\"v\",le=\"+Inf\"} 4\nt_sum{l=\"v\"} 7.65\nt_count{l=\"v\"} 4\n");
}

}  // namespace
}  // namespace kgym::service
