// The pure part of timing.h.
#include <algorithm>
#include <limits>
#include <numeric>

#include "base/text.h"
#include "judge/timing.h"

namespace kgym::judge {
namespace {

// What the judge's clock may show beyond the calls whatever their length: a candidate's outputs may be dearer to copy
// out than the reference's.
struct Slack {
  double fixed_ms, per_call_ms;
};
constexpr Slack kCpuSlack = {0.55, 0.015}, kGpuSlack = {1.0, 0.02};

// The same of a call that waits for the card itself: behind it nothing is prepared, and the card idles while its
// outputs' copying and the work ahead of the next call are enqueued (0.2 ms were seen, of a call of 0.4).
constexpr double kDryCallMs = 0.25;

// How much slower than its fastest call a candidate's timed calls may be, all together, before their batch ends.
constexpr int kSlowerWhenTimed = 10;

// Where rounds take long there may be fewer of them, but not fewer than these.
constexpr int kLeastRounds = 3;

// A candidate's batch may be this much more uneven than the reference's before its median is raised for it.
constexpr double kSkewAllowed = 1.5;

std::vector<double> Ratios(const std::vector<Round>& rounds) {
  std::vector<double> ratios;
  for (const Round& round : rounds) ratios.push_back(round.reference.median() / round.candidate.median());
  return ratios;
}

// What the work ahead of a call has to spare, beyond the CPU time of enqueuing it, and how long it may be at most: a
// call that is enqueued for longer is bound by its CPU, and its time says so.
constexpr double kDelaySpare = 1.3;
constexpr Duration kLeastDelay = 60us, kMostDelay = 10ms;

std::optional<double> MedianLaunch(const std::vector<Round>& rounds, Batch Round::*side) {
  std::vector<double> all;
  for (const Round& round : rounds) {
    all.insert(all.end(), (round.*side).launch_ms.begin(), (round.*side).launch_ms.end());
  }
  return all.empty() ? std::nullopt : std::optional(Median(all));
}

double DryShare(const std::vector<Round>& rounds) {
  int dry = 0, calls = 0;
  for (const Round& round : rounds) {
    const Batch& batch = round.candidate;
    for (std::size_t i = batch.warmup_ms.size(); i < batch.launch_ms.size(); ++i) {
      ++calls;
      dry += batch.launch_ms[i] > batch.ahead_ms[i];
    }
  }
  return calls > 0 ? static_cast<double>(dry) / calls : 0;
}

// CPU time that a candidate may use, beyond what the reference does, between its answer and standing still: up to
// 0.03 ms were seen of two honest ones.
constexpr double kAfterAllowedMs = 0.06;

// Time outside the calls is work on other streams where those account for this share of it.
constexpr double kDrainedShare = 0.5;

// The same where its kernels, in the observed call, took this many times as long as its own stream says.
constexpr double kHiddenKernels = 2;

constexpr double kShortestMs = 1e-6;  // Of what took any time at all.

// A candidate's outputs may be so much dearer to copy than the reference's, when they are strided say.
constexpr double kDearerCopies = 1.2;

// A call that takes this long needs no warming up and no company in its batch.
constexpr Duration kLongCall = 50ms;

/// What the judge knows of a batch: the lesser of its own clock and the CPU time that the kernel saw used.
double Seen(const Batch& batch) { return std::min(batch.judge_ms, batch.cpu_ms); }

/// What it saw of a batch beside the calls that the host accounts for.
double Beside(const Batch& batch) { return Seen(batch) - batch.sum(); }

/// What a batch of the reference's takes beside its calls in any round: copying outputs, messages, being woken and
/// stopped. By the clock, that of the host and of the judge alike, the least: what waits for a core is not in it.
double LeastBeside(const std::vector<Round>& rounds) {
  double least = std::numeric_limits<double>::infinity();
  for (const Round& round : rounds) least = std::min(least, round.reference.judge_ms - round.reference.sum());
  return std::max(0.0, least);
}

/// The mean of all calls of a batch over the median of those that count, over rounds.
double Skew(const std::vector<Round>& rounds, Batch Round::*side) {
  std::vector<double> skews;
  for (const Round& round : rounds) {
    const Batch& batch = round.*side;
    skews.push_back(batch.sum() / static_cast<double>(batch.warmup_ms.size() + batch.calls_ms.size()) / batch.median());
  }
  return Median(skews);
}

/// Medians over the rounds of what a side's batches were made of: where time went that nobody accounts for.
Json BatchParts(const std::vector<Round>& rounds, Batch Round::*side) {
  const auto median = [&](const auto& of) {
    std::vector<double> values;
    for (const Round& round : rounds) values.push_back(of(round.*side));
    return Median(std::move(values));
  };
  const auto sum = [](const std::vector<double>& values) { return std::accumulate(values.begin(), values.end(), 0.0); };
  return {{"judge_ms", median([](const Batch& b) { return b.judge_ms; })},
          {"starved_ms", median([](const Batch& b) { return b.starved_ms; })},
          {"before_ms", median([](const Batch& b) { return b.before_ms; })},
          {"ahead_ms", median([&](const Batch& b) { return sum(b.ahead_ms); })},
          {"calls_ms", median([](const Batch& b) { return b.sum(); })},
          {"emits_ms", median([](const Batch& b) { return b.emits_ms; })},
          {"drain_ms", median([](const Batch& b) { return b.drain_ms; })},
          {"behind_ms", median([](const Batch& b) { return b.behind_ms; })},
          {"after_ms", median([](const Batch& b) { return b.after_ms; })}};
}

Json ToJson(const Summary& summary) {
  return {{"median_ms", summary.median},
          {"mean_ms", summary.mean},
          {"interval_ms", {summary.interval.low, summary.interval.high}},
          {"trials", summary.trials}};
}

}  // namespace

Result<std::vector<double>> ReadTimes(const Json& reply, std::string_view key, int calls) {
  KGYM_TRY(const Json* times, GetArray(reply, key));
  if (static_cast<int>(times->size()) != calls)
    return Error{Concat(key, " has ", times->size(), " times for ", calls, " calls")};
  std::vector<double> ms;
  for (const Json& time : *times) {
    if (!time.is_number_integer() || time.get<std::int64_t>() < 0)
      return Error{Concat(key, " holds ", DumpJson(time).substr(0, 40), ", which is no time")};
    ms.push_back(std::max(static_cast<double>(time.get<std::int64_t>()) / 1e6, kShortestMs));
  }
  return ms;
}

double Batch::sum() const {
  return std::accumulate(calls_ms.begin(), calls_ms.end(), std::accumulate(warmup_ms.begin(), warmup_ms.end(), 0.0));
}
double Batch::median() const { return Median(calls_ms); }

BatchShape ShapeBatch(const TimingConfig& config, const ProblemFacts& facts, Duration candidate_call, int slots) {
  const Duration faster = std::min(candidate_call, facts.forward);
  if (faster >= kLongCall) return {0, 1};
  const double wanted =
      static_cast<double>(config.batch.count()) / std::max<double>(1000, static_cast<double>(faster.count()));
  const double made =
      static_cast<double>(config.generate.count()) / std::max<double>(1, static_cast<double>(facts.generate.count()));
  const int most = std::min(config.max_calls, slots - 1);  // One slot is for warming up.
  return {config.warmup, std::clamp(static_cast<int>(std::min(wanted, made)), std::min(3, most), most)};
}

int SlotsFor(const TimingConfig& config, const ProblemFacts& facts) {
  // A candidate may be much faster than the reference, so only the time to make inputs bounds the calls.
  return std::max(4, 1 + ShapeBatch(config, facts, Duration(0), config.max_calls + 1).calls);
}

Duration BatchLimit(const LimitsConfig& limits, BatchShape shape, Duration candidate_call) {
  const int calls = shape.warmup + shape.calls;
  return std::min(limits.call * calls, limits.call + kSlowerWhenTimed * calls * candidate_call);
}

Duration DelayFor(const Round& round) {
  double longest = 0;
  for (const Batch* batch : {&round.reference, &round.candidate}) {
    if (!batch->enqueue_ms.empty()) longest = std::max(longest, Median(batch->enqueue_ms));
  }
  // A candidate may claim any time: what is too long is cut before anything is added to it.
  return std::clamp(FromMs(std::min(kDelaySpare * longest, ToMs(kMostDelay))) + 20us, kLeastDelay, kMostDelay);
}

bool Enough(const TimingConfig& config, const std::vector<Round>& rounds, Duration spent) {
  const int done = static_cast<int>(rounds.size());
  if (done < config.min_rounds) return done >= kLeastRounds && spent >= config.longest;
  if (done >= config.max_rounds || spent >= config.budget) return true;
  const double width = RelativeHalfWidth(MedianInterval(Ratios(rounds), config.confidence));
  return width <= config.precision || width * rounds.back().candidate.median() <= ToMs(config.resolution);
}

Excess ClockExcess(const std::vector<Round>& rounds) {
  std::vector<double> unaccounted, calls, after;
  const double least = LeastBeside(rounds);
  for (const Round& round : rounds) {
    // A reference that waited for a core in its calls has less CPU time than these seem to take, and nothing beside.
    const double usual = std::max(least, Beside(round.reference));
    unaccounted.push_back(Beside(round.candidate) - usual);
    calls.push_back(Seen(round.candidate) - usual);
    after.push_back(round.candidate.after_ms - round.reference.after_ms);
  }
  const double ms = std::max(0.0, Median(unaccounted)), trusted = Median(calls);
  return {trusted > 0 ? std::min(1.0, ms / trusted) : 0, ms, std::max(0.0, Median(after))};
}

double SkewFactor(const std::vector<Round>& rounds) {
  return std::max(1.0, Skew(rounds, &Round::candidate) / (kSkewAllowed * Skew(rounds, &Round::reference)));
}

SampledCalls CallsOf(const std::vector<Round>& rounds) {
  std::vector<double> ms, shares;
  for (const Round& round : rounds) {
    const Batch& batch = round.candidate;
    ms.push_back(Seen(batch) / static_cast<double>(batch.warmup_ms.size() + batch.calls_ms.size()));
    // What its host says of copying is no more than it could be: else a library's work would hide in it.
    const double copying = std::min(batch.emits_ms, kDearerCopies * round.reference.emits_ms);
    shares.push_back(std::min(1.0, copying / std::max(Seen(batch), kShortestMs)));
  }
  return {.call_ms = Median(ms), .emit_share = Median(shares)};
}

Measurement Summarize(const TimingConfig& config, std::vector<Round> rounds) {
  std::vector<double> reference, candidate;
  for (const Round& round : rounds) {
    reference.insert(reference.end(), round.reference.calls_ms.begin(), round.reference.calls_ms.end());
    candidate.insert(candidate.end(), round.candidate.calls_ms.begin(), round.candidate.calls_ms.end());
  }
  Measurement m;
  m.skew = SkewFactor(rounds);
  for (double& ms : candidate) ms *= m.skew;
  std::vector<double> ratios = Ratios(rounds);
  for (double& ratio : ratios) ratio /= m.skew;
  m.calls = static_cast<int>(rounds.front().candidate.calls_ms.size());
  m.warmup = static_cast<int>(rounds.front().candidate.warmup_ms.size());
  m.reference = Summarize(reference, config.confidence);
  m.candidate = Summarize(candidate, config.confidence);
  m.speedup = Median(ratios);
  m.speedup_interval = Widen(MedianInterval(ratios, config.confidence), config.systematic);
  m.clock_excess = ClockExcess(rounds);
  m.vouched_speedup = m.speedup * (1 - m.clock_excess.share);
  m.speedup_interval.low = std::min(m.speedup_interval.low, m.vouched_speedup);
  m.reference_launch_ms = MedianLaunch(rounds, &Round::reference);
  m.candidate_launch_ms = MedianLaunch(rounds, &Round::candidate);
  m.dry_share = DryShare(rounds);
  std::vector<double> drains;
  for (const Round& round : rounds) drains.push_back(round.candidate.drain_ms);
  m.drain_ms = Median(drains);
  m.rounds = std::move(rounds);
  return m;
}

MaybeRuling JudgeTimes(const TimingConfig& config, const Measurement& m) {
  const Slack& allowed = m.candidate_launch_ms ? kGpuSlack : kCpuSlack;  // A CPU has no launches.
  const double per_call_ms = allowed.per_call_ms + kDryCallMs * m.dry_share;
  const double slack = allowed.fixed_ms + per_call_ms * static_cast<double>(m.calls + m.warmup);
  if (m.clock_excess.share > config.clock_slack && m.clock_excess.ms > slack) {
    Json evidence = {{"stage", "timing"},
                     {"clock_excess", m.clock_excess.share},
                     {"excess_ms", m.clock_excess.ms},
                     {"reference", BatchParts(m.rounds, &Round::reference)},
                     {"candidate", BatchParts(m.rounds, &Round::candidate)}};
    if (m.drain_ms > kDrainedShare * m.clock_excess.ms) {
      evidence["drain_ms"] = m.drain_ms;
      return Ruling{
          Outcome::kRejectedAsyncEscape,
          Concat("other streams worked on for ", m.drain_ms, " ms after the calls of a batch were done on their own"),
          std::move(evidence)};
    }
    if (m.observed_ms && *m.observed_ms > kHiddenKernels * m.candidate.median + slack) {
      evidence["observed_ms"] = *m.observed_ms;
      return Ruling{
          Outcome::kRejectedAsyncEscape,
          Concat("kernels of a call take ", *m.observed_ms, " ms on the card, on its own stream it is done after ",
                 m.candidate.median, " ms, and the judge's clock saw the rest go by"),
          std::move(evidence)};
    }
    return Ruling{Outcome::kRejectedTimingTamper,
                  Concat("the judge's clock saw ", 100 * m.clock_excess.share,
                         " % of each batch outside the calls that its host reports"),
                  std::move(evidence)};
  }
  // On a GPU the idle card is what tells, and what honest hosts use there has not been measured.
  if (!m.candidate_launch_ms && m.clock_excess.after_ms > kAfterAllowedMs) {
    return Ruling{
        Outcome::kRejectedAsyncEscape,
        Concat("it worked on for ", m.clock_excess.after_ms, " ms after it had answered that a batch was done"),
        {{"stage", "timing"}, {"after_ms", m.clock_excess.after_ms}}};
  }
  if (m.floor_ms > 0 && m.candidate.median < m.floor_ms) {
    return Ruling{Outcome::kRejectedImplausible,
                  Concat("a call takes ", m.candidate.median, " ms; reading its inputs once takes ", m.floor_ms,
                         " ms at ", m.gb_per_s, " GB/s"),
                  {{"stage", "timing"}, {"floor_ms", m.floor_ms}, {"candidate_ms", m.candidate.median}}};
  }
  return std::nullopt;
}

double FloorMs(double gb_per_s, const ProblemFacts& facts, double reference_ms) {
  const double bytes = static_cast<double>(facts.input_bytes + facts.output_bytes);
  const double floor = bytes / (gb_per_s * 1e6);
  return floor < reference_ms ? floor : 0;  // A reference below it reads only a part of its inputs, as a gather does.
}

Json Measurement::ToJson() const {
  Json json = {{"reference", judge::ToJson(reference)},
               {"candidate", judge::ToJson(candidate)},
               {"rounds", rounds.size()},
               {"calls_per_batch", calls},
               {"clock_excess", clock_excess.share},
               {"clock_excess_ms", clock_excess.ms},
               {"vouched_speedup", vouched_speedup},
               {"skew", skew},
               {"floor_ms", floor_ms}};
  if (reference_launch_ms) json["reference_launch_ms"] = *reference_launch_ms;
  if (candidate_launch_ms) {
    json["candidate_launch_ms"] = *candidate_launch_ms;
    json["dry_share"] = dry_share;
  }
  if (candidate_latency_ms && reference_latency_ms) {
    json["reference_latency_ms"] = *reference_latency_ms;
    json["candidate_latency_ms"] = *candidate_latency_ms;
  }
  if (observed_ms) json["kernels_ms"] = *observed_ms;
  if (measured > 1) json["measured"] = measured;
  return json;
}

}  // namespace kgym::judge
