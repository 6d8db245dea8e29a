#include "judge/output_log.h"

#include <gtest/gtest.h>

namespace kgym::judge {
namespace {

TEST(OutputLog, ShortOutputIsKeptWhole) {
  OutputLog log;
  log.Add("hello ");
  log.Add("world");
  EXPECT_EQ(log.Text(), "hello world");
  EXPECT_EQ(log.dropped(), 0U);
}

TEST(OutputLog, LongOutputKeepsItsHeadAndTailWhateverThePieces) {
  std::string all;
  for (int i = 0; i < 20000; ++i) all += std::to_string(i) + "\n";
  for (const std::size_t piece : {std::size_t{1}, std::size_t{777}, OutputLog::kKept, all.size()}) {
    OutputLog log;
    for (std::size_t at = 0; at < all.size(); at += piece) log.Add(std::string_view(all).substr(at, piece));
    EXPECT_EQ(log.head(), all.substr(0, OutputLog::kKept)) << piece;
    EXPECT_EQ(log.tail(), all.substr(all.size() - OutputLog::kKept)) << piece;
    EXPECT_EQ(log.dropped(), all.size() - 2 * OutputLog::kKept) << piece;
  }
}

}  // namespace
}  // namespace kgym::judge
