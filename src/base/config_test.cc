#include "base/config.h"

#include <gtest/gtest.h>

#include "base/files.h"

namespace kgym {
namespace {

enum class Clocks { kHost, kJudge, kBoth };

struct Timing {
  int trials = 100;
  Duration budget = 2s;
  double width = 0.02;
  Clocks clocks = Clocks::kBoth;

  template <class Visitor>
  void Visit(Visitor&& field) {
    field("trials", trials, {.meaning = "timed calls of each side", .unit = "calls", .min = 1, .max = 1000});
    field("budget", budget, {.meaning = "longest time spent on timing", .min = 0.001, .max = 60});
    field("width", width, {.meaning = "width of the interval at which timing ends", .min = 0});
    field("clocks", clocks, {.meaning = "which clocks must agree", .choices = {"host", "judge", "both"}});
  }
};

struct Eval {
  Timing judge;
  bool profile = true;
  std::int64_t seed = 0;
  std::string device;
  std::vector<std::string> backends = {"cpp", "triton"};

  template <class Visitor>
  void Visit(Visitor&& field) {
    field.Group("judge", judge);
    field("profile", profile, {.meaning = "whether to look whose kernels ran"});
    field("seed", seed, {.meaning = "seed of the inputs; 0 draws one"});
    field("device", device, {.meaning = "device"});
    field("backends", backends, {.meaning = "backends offered", .choices = {"cpp", "triton", "cuda"}});
  }
};

class ConfigTest : public testing::Test {
 protected:
  std::string OverrideError(std::string_view assignment) {
    const Status status = fields_.Override(assignment);
    return status.ok() ? "" : status.error().message;
  }
  std::string YamlError(std::string_view text) {
    const Status status = fields_.ParseYaml(text, "kgym.yaml");
    return status.ok() ? "" : status.error().message;
  }

  Eval eval_;
  ConfigFields fields_{eval_};
};

TEST_F(ConfigTest, OverridesEveryType) {
  for (const char* assignment : {"judge.trials=50", "judge.budget=250ms", "judge.width=1e-3", "judge.clocks=judge",
                                 "profile=off", "seed=-9000000000", "device = a=b ", "backends=cuda,cpp"}) {
    EXPECT_EQ(OverrideError(assignment), "");
  }
  EXPECT_EQ(eval_.judge.trials, 50);
  EXPECT_EQ(eval_.judge.budget, 250ms);
  EXPECT_EQ(eval_.judge.width, 1e-3);
  EXPECT_EQ(eval_.judge.clocks, Clocks::kJudge);
  EXPECT_FALSE(eval_.profile);
  EXPECT_EQ(eval_.seed, -9'000'000'000);
  EXPECT_EQ(eval_.device, "a=b");
  EXPECT_EQ(eval_.backends, (std::vector<std::string>{"cuda", "cpp"}));
}

TEST_F(ConfigTest, UnknownKeyNamesTheNearest) {
  EXPECT_EQ(OverrideError("judge.trails=5"), "config: unknown key 'judge.trails' (did you mean 'judge.trials'?)");
  EXPECT_EQ(OverrideError("zzzzzzzzz=5"), "config: unknown key 'zzzzzzzzz'");
  EXPECT_EQ(OverrideError("judge.trials"),
            "config: 'judge.trials' found; key=value is expected, such as judge.trials=100");
}

TEST_F(ConfigTest, WrongValueNamesKeyValueAndExpectation) {
  EXPECT_EQ(OverrideError("judge.trials=many"),
            "config: judge.trials: 'many' found; an integer from 1 to 1000 is expected");
  EXPECT_EQ(OverrideError("judge.trials=0"), "config: judge.trials: '0' found; an integer from 1 to 1000 is expected");
  EXPECT_EQ(OverrideError("judge.trials=5.5"),
            "config: judge.trials: '5.5' found; an integer from 1 to 1000 is expected");
  EXPECT_EQ(OverrideError("judge.budget=2h"),
            "config: judge.budget: '2h' found; a duration such as 250ms from 1ms to 1m is expected");
  EXPECT_EQ(OverrideError("judge.width=nan"), "config: judge.width: 'nan' found; a number of at least 0 is expected");
  EXPECT_EQ(OverrideError("judge.clocks=sun"),
            "config: judge.clocks: 'sun' found; one of host, judge, both is expected");
  EXPECT_EQ(OverrideError("profile=maybe"), "config: profile: 'maybe' found; true or false is expected");
  EXPECT_EQ(OverrideError("backends=cpp,rust"),
            "config: backends: 'rust' found; a list of names, each one of cpp, triton, cuda is expected");
  EXPECT_EQ(eval_.judge.trials, 100);
}

TEST_F(ConfigTest, YamlNestsOrDots) {
  EXPECT_EQ(YamlError("judge:\n  trials: 7\n  budget: 1m\njudge.width: 0.5\nbackends: [cpp]\nprofile: false\n"), "");
  EXPECT_EQ(eval_.judge.trials, 7);
  EXPECT_EQ(eval_.judge.budget, 60s);
  EXPECT_EQ(eval_.judge.width, 0.5);
  EXPECT_EQ(eval_.backends, (std::vector<std::string>{"cpp"}));
  EXPECT_FALSE(eval_.profile);
  EXPECT_EQ(YamlError(""), "");
}

TEST_F(ConfigTest, YamlErrorsCarryTheLine) {
  EXPECT_EQ(YamlError("profile: true\njudge:\n  trails: 7\n"),
            "kgym.yaml:3: unknown key 'judge.trails' (did you mean 'judge.trials'?)");
  EXPECT_EQ(YamlError("\njudge.trials: [1]"),
            "kgym.yaml:2: judge.trials: a list found; an integer from 1 to 1000 is expected");
  EXPECT_EQ(YamlError("judge.trials:"),
            "kgym.yaml:1: judge.trials: nothing found; an integer from 1 to 1000 is expected");
  EXPECT_EQ(YamlError("seed: 1\nseed: 2\n"), "kgym.yaml:2: 'seed' is set twice");
  EXPECT_EQ(YamlError("[1, 2]"), "kgym.yaml:1: a map of keys to values is expected");
  EXPECT_EQ(YamlError("a: [1,\nb: }").substr(0, 12), "kgym.yaml:2:");
  EXPECT_NE(YamlError("a: &x {b: *x}"), "");
}

TEST_F(ConfigTest, LoadsAFileAndNamesIt) {
  const TempDir folder = std::move(TempDir::Create("kgym-test-")).value();
  const std::filesystem::path file = folder.path() / "c.yaml";
  ASSERT_TRUE(WriteFileAtomic(file, "seed: 3\n").ok());
  ASSERT_TRUE(fields_.LoadYaml(file).ok());
  EXPECT_EQ(eval_.seed, 3);
  EXPECT_NE(fields_.LoadYaml("/nonexistent.yaml").error().message.find("/nonexistent.yaml"), std::string::npos);
}

TEST_F(ConfigTest, DumpReadsBack) {
  ASSERT_TRUE(fields_.Override("judge.budget=1500us").ok());
  ASSERT_TRUE(fields_.Override("device=with: \"quotes\" # and more").ok());
  Eval other;
  ConfigFields fields(other);
  const Status read = fields.ParseYaml(fields_.ToYaml(), "dump");
  ASSERT_TRUE(read.ok()) << read.error().message;
  EXPECT_EQ(DumpJson(fields.ToJson()), DumpJson(fields_.ToJson()));
  EXPECT_EQ(DumpJson(ConfigFields(other).ToJson()["judge"]),
            R"({"trials":100,"budget":"1500us","width":0.02,"clocks":"both"})");
}

TEST_F(ConfigTest, HelpShowsDefaultUnitLimitsAndMeaning) {
  const std::string help = fields_.Help();
  EXPECT_NE(help.find("judge.trials = 100 calls"), std::string::npos) << help;
  EXPECT_NE(help.find("timed calls of each side (an integer from 1 to 1000)"), std::string::npos) << help;
  EXPECT_NE(help.find("device = ''"), std::string::npos) << help;
}

struct Twice {
  int value = 0;
  template <class Visitor>
  void Visit(Visitor&& field) {
    field("value", value, {.meaning = "once"});
    field("value", value, {.meaning = "again"});
  }
};

TEST(Config, KeyNamedTwiceIsABug) {
  Twice twice;
  EXPECT_DEATH(ConfigFields{twice}, "value is named twice");
}

}  // namespace
}  // namespace kgym
