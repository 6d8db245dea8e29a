#include "service/http/coding.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace kgym::http {
namespace {

class CodingTest : public testing::TestWithParam<Coding> {};

TEST_P(CodingTest, ComesBack) {
  for (const std::string& text : {std::string(), std::string("kernel"), std::string(300'000, 'x')}) {
    const auto decoded = Decode(GetParam(), Encode(GetParam(), text), text.size());
    EXPECT_EQ(std::get<std::string>(decoded.value()), text);
  }
}

TEST_P(CodingTest, StopsAtTheLimit) {
  const std::string bomb = Encode(GetParam(), std::string(50'000'000, '\0'));
  EXPECT_TRUE(std::holds_alternative<TooLarge>(Decode(GetParam(), bomb, 1000).value()));
}

TEST_P(CodingTest, RefusesWhatIsCutOrFollowed) {
  const std::string whole = Encode(GetParam(), "a text of some length, twice: a text of some length");
  for (std::size_t size = 0; size < whole.size(); ++size) {
    EXPECT_FALSE(Decode(GetParam(), whole.substr(0, size), 1000).ok()) << size;
  }
  EXPECT_FALSE(Decode(GetParam(), whole + "x", 1000).ok());
  EXPECT_FALSE(Decode(GetParam(), "no such thing", 1000).ok());
}

INSTANTIATE_TEST_SUITE_P(All, CodingTest, testing::Values(Coding::kGzip, Coding::kZstd),
                         [](const auto& info) { return std::string(Name(info.param)); });

TEST(Coding, OfHeaders) {
  EXPECT_EQ(ParseCoding(""), Coding::kIdentity);
  EXPECT_EQ(ParseCoding("GZip"), Coding::kGzip);
  EXPECT_EQ(ParseCoding("br"), std::nullopt);
  EXPECT_EQ(ParseCoding("gzip, zstd"), std::nullopt);
}

TEST(Coding, WhatTheClientLikes) {
  EXPECT_EQ(BestCoding(""), Coding::kIdentity);
  EXPECT_EQ(BestCoding("br, gzip"), Coding::kGzip);
  EXPECT_EQ(BestCoding("gzip, zstd"), Coding::kZstd);
  EXPECT_EQ(BestCoding("gzip;q=1.0, zstd;q=0.5"), Coding::kGzip);
  EXPECT_EQ(BestCoding("gzip;q=0"), Coding::kIdentity);
  EXPECT_EQ(BestCoding("*"), Coding::kIdentity);
}

}  // namespace
}  // namespace kgym::http
