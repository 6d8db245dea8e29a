// What a candidate host says in answer to any question: JSON of any kind, from its bytes to the verdict that is
// written.
#include <cmath>
#include <string>

#include "base/check.h"
#include "base/text.h"
#include "judge/claims.h"
#include "judge/fuzz/target.h"
#include "judge/own_work.h"
#include "judge/ruling.h"
#include "judge/verdict.h"

namespace kgym::judge::fuzz {
namespace {

/// What was parsed is written and parsed again as the same.
void CheckRoundTrip(const Json& body) {
  const std::string text = DumpJson(body);
  KGYM_CHECK(IsUtf8(text));
  const Result<Json> again = ParseJson(text);
  KGYM_CHECK(again.ok()) << again.error().message;
  KGYM_CHECK(DumpJson(*again) == text);
}

void CheckClaims(const Json& body) {
  KGYM_CHECK(IsUtf8(ClaimedText(body, "message")));
  KGYM_CHECK(std::isfinite(ClaimedNumber(body, "own_ns")));
  KGYM_CHECK(ClaimedObject(body, "own_work").is_object());
  KGYM_CHECK(ClaimedArray(body, "outputs").is_array());
}

/// As docs/verdict.schema.json wants it.
void CheckRuling(const MaybeRuling& ruling) {
  if (!ruling) return;
  KGYM_CHECK(!ruling->reason.empty() && IsUtf8(ruling->reason));
  KGYM_CHECK(Claimed(ruling->evidence, "stage").is_string());
  const Json& trace = Claimed(ruling->evidence, "traceback");
  KGYM_CHECK(trace.is_null() || trace.is_string());
}

bool AreCounts(const Json& counts) {
  if (!counts.is_object()) return counts.is_null();
  for (const auto& [name, count] : counts.items()) {
    if (!count.is_number_integer() || count.get<std::int64_t>() < 0) return false;
  }
  return true;
}

void CheckSummary(const Json& summary) {
  KGYM_CHECK(summary.is_object());
  for (const char* key : {"kernels", "launches", "raised", "profile"}) {
    const Json& value = Claimed(summary, key);
    KGYM_CHECK(value.is_null() || value.is_object()) << key << " " << DumpJson(value);
  }
  for (const char* key : {"foreign", "outputs"}) {
    const Json& value = Claimed(summary, key);
    KGYM_CHECK(value.is_null() || value.is_array()) << key << " " << DumpJson(value);
  }
  for (const char* key : {"operators", "inside", "unseen"})
    KGYM_CHECK(AreCounts(Claimed(summary, key))) << key << " " << DumpJson(Claimed(summary, key));
  const Json& coverage = Claimed(summary, "coverage");
  KGYM_CHECK(coverage.is_null() || (coverage.get<double>() >= 0 && coverage.get<double>() <= 1)) << DumpJson(coverage);
}

void CheckVerdict(const MaybeRuling& ruling, const Json& summary, const Json& body) {
  Verdict verdict = NewVerdict({}, {});
  if (ruling) {
    verdict.outcome = ruling->outcome;
    verdict.reason = ruling->reason;
    verdict.evidence = ruling->evidence;
  }
  verdict.own_work = summary;
  verdict.log = ClaimedText(body, "log");
  const std::string line = DumpJson(verdict.ToJson());
  KGYM_CHECK(IsUtf8(line) && line.find('\n') == std::string::npos);
  KGYM_CHECK(ParseJson(line).ok());
}

void Check(const Json& body) {
  const Json& facts = ClaimedObject(body, "own_work");
  const Json reference = {{"aten::mm", 1}, {"aten::relu", 2}};
  const Json summary = OwnWorkSummary(facts);
  CheckSummary(summary);
  CheckRuling(RuleOnOwnWork(facts, reference));
  CheckRuling(RuleOnTwoFaces(facts, Claimed(body, "operators")));
  for (int what = 0; what <= static_cast<int>(Answer::What::kWoken); ++what) {
    Answer answer;
    answer.what = static_cast<Answer::What>(what);
    answer.body = body;
    answer.detail = ClaimedText(body, "detail");
    const MaybeRuling ruling = RuleOnAnswer(answer, "forward", ClaimedTrue(body, "oom"));
    CheckRuling(ruling);
    CheckVerdict(ruling, summary, body);
  }
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym;
  const Result<Json> body = ParseJson(judge::fuzz::Bytes(data, size), "answer");
  if (!body.ok()) {
    KGYM_CHECK(!body.error().message.empty());
    return 0;
  }
  judge::fuzz::CheckRoundTrip(*body);
  judge::fuzz::CheckClaims(*body);
  judge::fuzz::Check(*body);
  return 0;
}
