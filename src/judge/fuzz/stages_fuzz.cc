// The stages that talk to a candidate in turns: correctness and timing, over real sockets, with a candidate that says
// anything and a reference host that is sound.
//
// The input is lines. The first one's letters are what the reference host finds in turn: s, d, n for a difference in
// shape, in dtype, in values (values only where timed, since a second look there waits for nothing), o for none; g
// among them puts the lane on a GPU. Each other line is what the candidate answers next, after its nonce; the last one
// again and again.
#include <boost/asio/io_context.hpp>
#include <cmath>
#include <vector>

#include "base/check.h"
#include "judge/correctness.h"
#include "judge/fuzz/fake_side.h"
#include "judge/fuzz/target.h"
#include "judge/graph_replay.h"
#include "judge/timing.h"

namespace kgym::judge::fuzz {
namespace {

JudgeConfig Config() {
  JudgeConfig config;
  config.correctness.sets = 2;
  config.timing.warmup = 1;
  config.timing.max_calls = 3;
  config.timing.min_rounds = 2;
  config.timing.max_rounds = 2;
  config.limits.call = config.limits.open = 1h;  // Nobody waits: a candidate that says nothing is ended.
  return config.Completed();
}

ProblemFacts Facts() {
  ProblemFacts facts;
  facts.description = {{"tolerances", Json::array()}, {"operators", Json::object()}, {"changes_inputs", Json::array()}};
  facts.input_bytes = facts.output_bytes = 1 << 20;
  facts.generate = facts.forward = 1ms;
  return facts;
}

/// Answers as reference.py does.
class ReferenceSide {
 public:
  explicit ReferenceSide(std::string_view findings) : findings_(findings) {}

  bool timed = false;

  Json Answer(const Json& question) {
    const std::string op = ClaimedText(question, "op");
    Json reply = {{"ok", true}, {"nonce", question["nonce"]}};
    if (op == "begin") reply.update({{"slots", question["slots"]}, {"length", 4096}});
    if (op == "fill") {
      for (const Json& set : question["sets"]) {
        reply["inputs"].push_back({{"t", "list"}, {"v", Json::array()}});
        reply["outputs"].push_back({set["slot"], 64});
      }
    }
    if (op == "check") reply.update(Finding());
    if (op == "alike") reply["alike"] = Json::array();
    if (op == "idle") reply["spans_ns"] = std::vector<int>(question["repeats"].get<std::size_t>(), 5000);
    if (op == "time") {
      for (const char* key : {"calls_ns", "emits_ns", "host_ns", "enqueue_ns", "ahead_ns"})
        reply[key] = std::vector<int>(question["slots"].size(), 100'000);
      reply["drain_ns"] = {1000};
    }
    if (op == "graph") {
      for (const char* key : {"calls_ns", "host_ns", "ahead_ns"})
        reply[key] = std::vector<int>(question["replays"].size(), 100'000);
    }
    return reply;
  }

 private:
  Json Finding() {
    const char found = findings_.empty() ? 'o' : findings_[checks_++ % findings_.size()];
    Json difference = {{"kind", ""}, {"max_rel", 1e-7}};
    if (found != 'o') difference["message"] = "the reference's is another";
    if (found == 's') difference["kind"] = "shape";
    if (found == 'd') difference["kind"] = "dtype";
    if (found == 'n' && timed) difference["kind"] = "numerical";
    return {{"difference", difference},
            {"changed_inputs", Json::array()},
            {"facts", Json::object()},
            {"strides_differ", false},
            {"repeat_of", true}};
  }

  std::string_view findings_;
  std::size_t checks_ = 0;
};

struct Stage {
  explicit Stage(bool on_gpu)
      : gate(io.get_executor()),
        reference(io.get_executor(), HostKind::kReference, &gate),
        candidate(io.get_executor(), HostKind::kCandidate, &gate),
        session(*reference.host, *candidate.host, config, Facts(), Ground{&gate, on_gpu, 1000, 0}, 1) {}

  const JudgeConfig config = Config();
  boost::asio::io_context io{1};
  Gate gate;
  FakeHost reference, candidate;
  Session session;
  bool done = false;
  bool timing = false;
};

void CheckMeasurement(const Measurement& measurement) {
  KGYM_CHECK(measurement.speedup > 0 && std::isfinite(measurement.speedup));
  KGYM_CHECK(measurement.speedup_interval.low <= measurement.speedup_interval.high);
  KGYM_CHECK(measurement.candidate.median > 0 && std::isfinite(measurement.candidate.mean));
  const Json json = measurement.ToJson();
  for (const char* key : {"clock_excess", "clock_excess_ms", "vouched_speedup", "skew"})
    KGYM_CHECK(std::isfinite(json[key].get<double>())) << key;
}

Awaitable<void> RunStages(Stage& stage) {
  CorrectnessReport report;
  Result<MaybeRuling> ruling = co_await stage.session.Begin(4);
  if (ruling.ok() && !*ruling) ruling = co_await CheckCorrectness(stage.session, report);
  KGYM_CHECK(report.passed <= report.sets);
  if (ruling.ok() && !*ruling) {
    stage.timing = true;
    stage.session.observed = Json::object();
    Measurement measurement;
    ruling = co_await Measure(stage.session, report.shortest_call, measurement);
    if (ruling.ok() && !measurement.rounds.empty()) CheckMeasurement(measurement);
    const GraphTimes graphs = co_await MeasureGraphs(stage.session, 0.01, 0.01);
    KGYM_CHECK(!graphs.candidate_ms || (*graphs.candidate_ms > 0 && std::isfinite(*graphs.candidate_ms)));
  }
  if (ruling.ok() && *ruling) KGYM_CHECK(!(*ruling)->reason.empty());
  KGYM_CHECK(ruling.ok() || ruling.error().message.find("the reference host") == std::string::npos)
      << "a candidate broke the reference host's part: " << ruling.error().message;
  stage.done = true;
}

/// Answers every letter that a supervisor was told; whether there was one.
bool ServeSupervisor(FakeHost& fake) {
  bool served = false;
  for (const char letter : fake.Told()) {
    served = true;
    if (letter == 'F' || letter == 'T' || letter == 'S') PutPacket(fake.supervisor, {&letter, 1});
    if (letter == 'W') PutPacket(fake.supervisor, "W 1");
    if (letter == 'E') PutPacket(fake.supervisor, R"(E {})");
    if (letter == 'D') PutPacket(fake.supervisor, "D 0");
  }
  return served;
}

bool ServeReference(Stage& stage, ReferenceSide& side) {
  const std::optional<std::string> packet = TakePacket(stage.reference.process);
  if (!packet) return false;
  side.timed = stage.timing;
  const Json question = ParseJson(*packet).value();
  PutPacket(stage.reference.process, DumpJson(side.Answer(question)), ClaimedText(question, "op") == "begin" ? 1 : 0);
  return true;
}

bool ServeCandidate(Stage& stage, std::string_view& answers, std::string_view& last) {
  const std::optional<std::string> packet = TakePacket(stage.candidate.process);
  if (!packet) return false;
  const Json question = ParseJson(*packet).value();
  std::string answer = R"({"nonce":")" + ClaimedText(question, "nonce") + R"(",)";
  if (ClaimedText(question, "op") == "attach") {
    answer += R"("ok":true})";
  } else {
    if (!answers.empty()) last = TakeUntil(answers, '\n');
    answer += last;
  }
  PutPacket(stage.candidate.process, answer);
  return true;
}

void Run(std::string_view input) {
  const std::string_view findings = TakeUntil(input, '\n');
  ReferenceSide side(findings);
  Stage stage(findings.find('g') != std::string_view::npos);
  std::string_view last = R"("ok":true})";
  Spawn(stage.io.get_executor(), RunStages(stage));
  for (bool moved = true; moved && !stage.done;) {
    stage.io.restart();
    moved = stage.io.poll() > 0;
    moved |= ServeReference(stage, side);
    moved |= ServeCandidate(stage, input, last);
    moved |= ServeSupervisor(stage.reference);
    moved |= ServeSupervisor(stage.candidate);
  }
  KGYM_CHECK(stage.done) << "the stages wait for somebody who has answered";
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  const int before = LowestFree();
  Run(Bytes(data, size));
  KGYM_CHECK(LowestFree() == before) << "descriptors leak";
  return 0;
}
