#include "learn/oversample.h"

#include <algorithm>
#include <map>

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {

Result<Oversampler> Oversampler::Create(const Options& options) {
  if (!(options.target > 0)) return Error{Concat("target is ", options.target, "; above 0 is expected")};
  if (!(options.factor > 0)) return Error{Concat("factor is ", options.factor, "; above 0 is expected")};
  if (options.multiple == 0) return Error{"multiple is 0; 1 or more is expected"};
  if (!(options.smoothing > 0 && options.smoothing <= 1)) {
    return Error{Concat("smoothing is ", options.smoothing, "; above 0 and at most 1 is expected")};
  }
  if (!(options.most >= 0 && options.most < 1)) {
    return Error{Concat("most is ", options.most, "; 0 or more and below 1 is expected")};
  }
  return Oversampler(options);
}

bool Oversampler::Add(std::int64_t prompt) {
  expected_ += 1 - std::min(filter_rate(prompt), options_.most);
  ++collected_;
  // A hair of tolerance: 20 prompts of which half survive are 10.
  const bool enough = expected_ >= options_.target * options_.factor - 1e-9 && collected_ % options_.multiple == 0;
  if (!enough) return false;
  expected_ = 0;
  collected_ = 0;
  return true;
}

Status Oversampler::Observe(std::int64_t prompt, double filter_rate) {
  KGYM_TRY_VOID(CheckRange(Concat("filter rate of prompt ", prompt), filter_rate, 0, 1));
  double& rate = rates_.try_emplace(prompt, 0.0).first->second;
  rate += options_.smoothing * (filter_rate - rate);
  return Ok();
}

double Oversampler::filter_rate(std::int64_t prompt) const {
  const auto found = rates_.find(prompt);
  return found == rates_.end() ? 0 : found->second;
}

Json Oversampler::State() const {
  Json rates = Json::array();
  for (const auto& [prompt, rate] : std::map(rates_.begin(), rates_.end())) rates.push_back({prompt, rate});
  return {{"rates", rates}, {"expected", expected_}, {"collected", collected_}};
}

Result<Oversampler> Oversampler::FromState(const Options& options, const Json& state) {
  KGYM_TRY(Oversampler oversampler, Create(options));
  KGYM_TRY(const Json* rates, GetArray(state, "rates"));
  for (const Json& pair : *rates) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() || !pair[1].is_number()) {
      return Error{"rates: pairs of a prompt and its filter rate are expected"};
    }
    oversampler.rates_[pair[0].get<std::int64_t>()] = pair[1].get<double>();
  }
  KGYM_TRY(oversampler.expected_, GetDouble(state, "expected"));
  KGYM_TRY(const std::int64_t collected, GetInt(state, "collected"));
  oversampler.collected_ = static_cast<std::size_t>(std::max<std::int64_t>(collected, 0));
  return oversampler;
}

void Refill::Add(std::int64_t row, std::int64_t step) { rows_.push_back({row, step}); }

std::vector<std::int64_t> Refill::Take(std::size_t count, std::int64_t step) {
  dropped_ +=
      static_cast<std::int64_t>(std::erase_if(rows_, [&](const Row& row) { return step - row.step > max_age_; }));
  if (rows_.size() < count) return {};
  std::ranges::stable_sort(rows_, [](const Row& a, const Row& b) { return a.step < b.step; });
  std::vector<std::int64_t> taken;
  for (std::size_t i = 0; i < count; ++i) taken.push_back(rows_[i].id);
  rows_.erase(rows_.begin(), rows_.begin() + static_cast<std::ptrdiff_t>(count));
  return taken;
}

Json Refill::State() const {
  Json rows = Json::array();
  for (const Row& row : rows_) rows.push_back({row.id, row.step});
  return {{"max_age", max_age_}, {"rows", rows}, {"dropped", dropped_}};
}

Result<Refill> Refill::FromState(const Json& state) {
  KGYM_TRY(const std::int64_t max_age, GetInt(state, "max_age"));
  KGYM_TRY(const Json* rows, GetArray(state, "rows"));
  Refill refill(max_age);
  for (const Json& pair : *rows) {
    if (!pair.is_array() || pair.size() != 2 || !pair[0].is_number_integer() || !pair[1].is_number_integer()) {
      return Error{"rows: pairs of a row and its step are expected"};
    }
    refill.Add(pair[0].get<std::int64_t>(), pair[1].get<std::int64_t>());
  }
  KGYM_TRY(refill.dropped_, GetInt(state, "dropped"));
  return refill;
}

}  // namespace kgym::learn
