#include "apps/kgym/table.h"

#include <gtest/gtest.h>

namespace kgym::app {
namespace {

TEST(DisplayWidth, CountsColumnsNotBytes) {
  EXPECT_EQ(DisplayWidth("abc"), 3u);
  EXPECT_EQ(DisplayWidth("±"), 1u);
  EXPECT_EQ(DisplayWidth("核心"), 4u);
  EXPECT_EQ(DisplayWidth("e\u0301"), 1u);
}

TEST(CutToWidth, NeverCutsACharacter) {
  EXPECT_EQ(CutToWidth("abc", 3), "abc");
  EXPECT_EQ(CutToWidth("abcd", 3), "ab…");
  EXPECT_EQ(CutToWidth("核心核心", 4), "核…");
}

TEST(Printable, TakesControlAway) {
  EXPECT_EQ(Printable("a\x1b[31mb\n\tc\x7f"), "a?[31mb\n\tc?");
  EXPECT_EQ(Printable("a\u009bm"), "a?m");
  EXPECT_EQ(Printable("a\xff"), "a\uFFFD");
}

TEST(Table, AlignsBothWays) {
  Table table({{"name"}, {"ms", Table::Align::kRight}});
  table.Add({{"核"}, {"1.5"}});
  table.Add({{"longer"}});
  EXPECT_EQ(table.Text(false), "name     ms\n核      1.5\nlonger\n");
}

TEST(Table, KeepsARowOnOneLine) {
  Table table({{"a"}});
  table.Add({{"x\ny"}});
  EXPECT_EQ(table.Text(false), "a\nx y\n");
}

}  // namespace
}  // namespace kgym::app
