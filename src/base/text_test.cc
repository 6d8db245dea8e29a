#include "base/text.h"

#include <gtest/gtest.h>

namespace kgym {
namespace {

TEST(Text, ConcatTakesTextNumbersAndTruth) {
  const std::string name = "gpu0";
  EXPECT_EQ(Concat("lane ", name, ": ", 3, '/', std::size_t{4}, " ", 0.5, " ", true, std::string_view("!")),
            "lane gpu0: 3/4 0.5 true!");
  EXPECT_EQ(Concat(), "");
}

TEST(Text, SplitsAndJoins) {
  EXPECT_EQ(Split("a,,b,", ','), (std::vector<std::string>{"a", "", "b", ""}));
  EXPECT_TRUE(Split("", ',').empty());
  EXPECT_EQ(Join(Split("a,b,c", ','), ", "), "a, b, c");
  EXPECT_EQ(Trim(" \t a b\n"), "a b");
  EXPECT_EQ(Trim("  "), "");
}

TEST(Text, EditDistanceCountsSwapsAsOne) {
  EXPECT_EQ(EditDistance("", "abc"), 3u);
  EXPECT_EQ(EditDistance("kitten", "sitting"), 3u);
  EXPECT_EQ(EditDistance("trials", "trails"), 1u);
  EXPECT_EQ(EditDistance("same", "same"), 0u);
}

TEST(Text, NearestFindsMisspellingsOnly) {
  const std::vector<std::string> known = {"judge.trials", "judge.budget", "sandbox.memory"};
  EXPECT_EQ(Nearest("judge.trails", known), "judge.trials");
  EXPECT_EQ(Nearest("completely.different", known), std::nullopt);
  EXPECT_EQ(Nearest("x", {}), std::nullopt);
  EXPECT_EQ(DidYouMean("judge.buget", known), " (did you mean 'judge.budget'?)");
  EXPECT_EQ(DidYouMean("zzz", known), "");
}

TEST(Text, BytesForAPerson) {
  EXPECT_EQ(FormatBytes(0), "0 B");
  EXPECT_EQ(FormatBytes(1023), "1023 B");
  EXPECT_EQ(FormatBytes(1536), "1.5 KiB");
  EXPECT_EQ(FormatBytes((std::uint64_t{1} << 30) - 1), "1.0 GiB");
  EXPECT_EQ(FormatBytes(~std::uint64_t{0}), "16.0 EiB");
}

TEST(Text, Utf8IsStrict) {
  for (const char* good : {"", "plain", "\xc3\xa9", "\xe2\x82\xac", "\xf0\x9f\x98\x80"})
    EXPECT_TRUE(IsUtf8(good)) << good;
  const char* const bad[] = {"\xff", "\xc0\x80", "\xe0\x80\x80", "\xed\xa0\x80", "\xf4\x90\x80\x80",
                             "\xc3", "\x80",     "\xe2\x82"};
  for (const char* text : bad) EXPECT_FALSE(IsUtf8(text));
}

TEST(Text, ToUtf8ReplacesOnlyWhatIsWrong) {
  EXPECT_EQ(ToUtf8("a\xff"
                   "b\xc3\xa9"),
            "a\xef\xbf\xbd"
            "b\xc3\xa9");
  EXPECT_TRUE(IsUtf8(ToUtf8("\xed\xa0\x80\xf0\x9f")));
}

TEST(Text, TruncationKeepsCharactersWhole) {
  const std::string text =
      "ab\xe2\x82\xac"
      "c";
  EXPECT_EQ(TruncateUtf8(text, 100), text);
  EXPECT_EQ(TruncateUtf8(text, 5), "ab\xe2\x82\xac");
  EXPECT_EQ(TruncateUtf8(text, 4), "ab");
  EXPECT_EQ(TruncateUtf8(text, 2), "ab");
  EXPECT_EQ(TruncateUtf8(text, 0), "");
}

}  // namespace
}  // namespace kgym
