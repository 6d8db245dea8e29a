#include "service/http/access.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/files.h"
#include "base/text.h"

namespace kgym::http {
namespace {

using ::testing::HasSubstr;

constexpr const char* kToken = "0123456789abcdef";

Request With(const std::string& name, const std::string& value) {
  Request request;
  request.headers.Add(name, value);
  return request;
}

Request Bearer(const std::string& token) { return With("Authorization", "Bearer " + token); }

int StatusOf(const std::variant<const Principal*, Refusal>& checked) {
  return std::holds_alternative<Refusal>(checked) ? std::get<Refusal>(checked).status : 200;
}

class AccessTest : public testing::Test {
 protected:
  FakeClock clock_;
  Access access_{clock_};
};

TEST_F(AccessTest, ATokenNeedsTheScope) {
  access_.Add({.token = kToken, .principal = {"alice", true, false, false}});
  EXPECT_EQ(std::get<const Principal*>(access_.Check(Bearer(kToken), Scope::kRead))->name, "alice");
  EXPECT_EQ(StatusOf(access_.Check(Bearer(kToken), Scope::kSubmit)), 403);
  EXPECT_EQ(StatusOf(access_.Check(With("authorization", std::string("bearer ") + kToken), Scope::kRead)), 200);
  EXPECT_EQ(StatusOf(access_.Check({}, Scope::kNone)), 200);
}

TEST_F(AccessTest, NoTokenIsToldHow) {
  access_.Add({.token = kToken, .principal = {"alice", true, true, true}});
  for (const Request& request :
       {Request(), Bearer("other"), Bearer(""), With("Authorization", "Basic abc"), With("Authorization", kToken)}) {
    const auto checked = access_.Check(request, Scope::kRead);
    ASSERT_EQ(StatusOf(checked), 401);
    EXPECT_THAT(std::get<Refusal>(checked).headers.front().value, HasSubstr("Bearer realm"));
  }
}

TEST_F(AccessTest, AnAdminMayDoAll) {
  access_.Add({.token = kToken, .principal = {"root", false, false, true}});
  for (const Scope scope : {Scope::kRead, Scope::kSubmit, Scope::kAdmin})
    EXPECT_EQ(StatusOf(access_.Check(Bearer(kToken), scope)), 200);
}

TEST_F(AccessTest, ABucketFillsUp) {
  access_.Add({.token = kToken, .principal = {"alice", true, true, false}, .per_second = 2, .burst = 3});
  const auto ask = [&] { return StatusOf(access_.Check(Bearer(kToken), Scope::kRead)); };
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(), 200);
  const auto refused = access_.Check(Bearer(kToken), Scope::kRead);
  ASSERT_EQ(StatusOf(refused), 429);
  EXPECT_EQ(std::get<Refusal>(refused).headers.front().name, "Retry-After");
  clock_.Advance(500ms);
  EXPECT_EQ(ask(), 200);
  EXPECT_EQ(ask(), 429);
  clock_.Advance(1h);
  for (int i = 0; i < 3; ++i) EXPECT_EQ(ask(), 200);
  EXPECT_EQ(ask(), 429);
}

TEST_F(AccessTest, AClockThatGoesBackGivesNothing) {
  TokenBucket bucket(1, 1, clock_.Now());
  EXPECT_FALSE(bucket.Take(clock_.Now()).has_value());
  clock_.Advance(-1h);
  EXPECT_TRUE(bucket.Take(clock_.Now()).has_value());
}

TEST_F(AccessTest, WithoutTokensOnlyOurOwnPageMayAsk) {
  access_.Open();
  EXPECT_EQ(StatusOf(access_.Check({}, Scope::kAdmin)), 200);
  EXPECT_EQ(StatusOf(access_.Check(With("Host", "localhost:8700"), Scope::kAdmin)), 200);
  EXPECT_EQ(StatusOf(access_.Check(With("Host", "[::1]:8700"), Scope::kAdmin)), 200);
  EXPECT_EQ(StatusOf(access_.Check(With("Host", "rebound.example:8700"), Scope::kAdmin)), 421);
  Request request = With("Host", "127.0.0.1:8700");
  request.headers.Add("Origin", "http://127.0.0.1:8700");
  EXPECT_EQ(StatusOf(access_.Check(request, Scope::kAdmin)), 200);
  Request foreign = With("Host", "127.0.0.1:8700");
  foreign.headers.Add("Origin", "http://127.0.0.1:87001");
  EXPECT_EQ(StatusOf(access_.Check(foreign, Scope::kAdmin)), 403);
}

class TokenFileTest : public testing::Test {
 protected:
  std::string Fault(const std::string& text) {
    EXPECT_TRUE(WriteFileAtomic(folder_.path() / "tokens.json", text).ok());
    const auto specs = ReadTokens(folder_.path() / "tokens.json");
    return specs.ok() ? "" : specs.error().message;
  }

  TempDir folder_ = TempDir::Create("tokens").value();
};

TEST_F(TokenFileTest, IsRead) {
  EXPECT_EQ(Fault(R"([{"name": "a", "token": "0123456789abcdef", "scopes": ["read", "submit"], "per_second": 10}])"),
            "");
}

TEST_F(TokenFileTest, FaultsNameTheEntry) {
  EXPECT_THAT(Fault("[]"), HasSubstr("at least one is expected"));
  EXPECT_THAT(Fault("{"), HasSubstr("tokens.json:1:"));
  EXPECT_THAT(Fault(R"([{"name": "a", "token": "short", "scopes": []}])"), HasSubstr("entry 0: field 'token': 5"));
  EXPECT_THAT(Fault(R"([{"name": "a", "token": "0123456789abcdef", "scopes": ["write"]}])"),
              HasSubstr("'write' found"));
  EXPECT_THAT(Fault(R"([{"nmae": "a"}])"), HasSubstr("did you mean 'name'?"));
}

}  // namespace
}  // namespace kgym::http
