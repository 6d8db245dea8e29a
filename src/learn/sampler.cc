#include "learn/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/text.h"
#include "learn/check_input.h"

namespace kgym::learn {
namespace {

Status CheckOptions(const SamplerOptions& options) {
  KGYM_TRY_VOID(CheckRange("low", options.low, 0, 1));
  KGYM_TRY_VOID(CheckRange("high", options.high, options.low, 1));
  KGYM_TRY_VOID(CheckRange("freshness", options.freshness, 0, 1));
  KGYM_TRY_VOID(CheckRange("propagation", options.propagation, 0, 1));
  KGYM_TRY_VOID(CheckRange("unseen_rate", options.unseen_rate, 0, 1));
  if (!(options.deviation > 0)) return Error{Concat("deviation is ", options.deviation, "; above 0 is expected")};
  if (options.smoothing > 0 && options.smoothing <= 1) return Ok();
  return Error{Concat("smoothing is ", options.smoothing, "; above 0 and at most 1 is expected")};
}

/// A list of numbers of the state, of the given length.
template <class T>
Result<std::vector<T>> Numbers(const Json& state, std::string_view field, std::size_t length) {
  KGYM_TRY(const Json* array, GetArray(state, field));
  if (array->size() != length)
    return Error{Concat(field, " has ", array->size(), " values; ", length, " are expected")};
  std::vector<T> numbers;
  for (const Json& item : *array) {
    if (!item.is_number()) return Error{Concat(field, " holds something that is no number")};
    numbers.push_back(item.get<T>());
  }
  return numbers;
}

bool IsPermutation(std::vector<std::size_t> order) {
  std::ranges::sort(order);
  for (std::size_t i = 0; i < order.size(); ++i) {
    if (order[i] != i) return false;
  }
  return true;
}

}  // namespace

double TakeProbability(const SamplerOptions& options, double solve_rate, double age_epochs) {
  switch (options.policy) {
    case SamplePolicy::kUniform:
      return 1;
    case SamplePolicy::kPrioritized:
      return 1 - solve_rate;
    case SamplePolicy::kModerate:
      if (solve_rate < options.low) return 0.05 * (1 - solve_rate);
      return solve_rate > options.high ? 0.1 * (1 - solve_rate) : 1;
    case SamplePolicy::kRefresh: {
      const double distance = (solve_rate - options.mean) / options.deviation;
      const double fit = std::exp(-distance * distance / 2);
      return (1 - options.freshness) * fit + options.freshness * std::clamp(age_epochs, 0.0, 1.0);
    }
  }
  return 1;
}

PromptSampler::PromptSampler(const SamplerOptions& options, std::size_t prompts, Random random)
    : options_(options),
      random_(std::move(random)),
      order_(prompts),
      rates_(prompts, options.unseen_rate),
      last_taken_(prompts, -1) {
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

Result<PromptSampler> PromptSampler::Create(const SamplerOptions& options, std::size_t prompts, std::uint64_t seed) {
  KGYM_TRY_VOID(CheckOptions(options));
  if (prompts == 0) return Error{"a sampler needs at least one prompt"};
  PromptSampler sampler(options, prompts, Random(seed));
  sampler.random_.Shuffle(sampler.order_);
  return sampler;
}

std::size_t PromptSampler::Next() {
  for (std::size_t passed = 0;; ++passed) {
    if (position_ == order_.size()) {
      random_.Shuffle(order_);
      position_ = 0;
      ++epoch_;
    }
    const std::size_t prompt = order_[position_++];
    const std::int64_t since = last_taken_[prompt] < 0 ? draws_ : draws_ - last_taken_[prompt];
    const double age = static_cast<double>(since) / static_cast<double>(order_.size());
    ++draws_;
    const bool take = random_.Uniform() < TakeProbability(options_, rates_[prompt], age);
    if (!take && passed < order_.size()) continue;
    last_taken_[prompt] = draws_;
    return prompt;
  }
}

Status PromptSampler::Observe(std::span<const std::size_t> prompts, std::span<const double> rates) {
  KGYM_TRY_VOID(CheckRows("rates", rates, prompts.size()));
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    if (prompts[i] >= rates_.size()) return Error{Concat("prompt ", prompts[i], " of ", rates_.size(), " is unknown")};
    KGYM_TRY_VOID(CheckRange(Concat("rate of prompt ", prompts[i]), rates[i], 0, 1));
  }
  std::vector<std::uint8_t> observed(rates_.size(), 0);
  double change = 0;
  for (std::size_t i = 0; i < prompts.size(); ++i) {
    double& rate = rates_[prompts[i]];
    const double moved = options_.smoothing * (rates[i] - rate);
    rate += moved;
    change += moved;
    observed[prompts[i]] = 1;
  }
  if (options_.policy != SamplePolicy::kRefresh || options_.propagation == 0 || prompts.empty()) return Ok();
  const double credit = options_.propagation * change / static_cast<double>(prompts.size());
  for (std::size_t prompt = 0; prompt < rates_.size(); ++prompt) {
    if (observed[prompt] == 0) rates_[prompt] = std::clamp(rates_[prompt] + credit, 0.0, 1.0);
  }
  return Ok();
}

Json PromptSampler::State() const {
  return {{"random", random_.State()}, {"order", order_}, {"rates", rates_}, {"last_taken", last_taken_},
          {"position", position_},     {"epoch", epoch_}, {"draws", draws_}};
}

Result<PromptSampler> PromptSampler::FromState(const SamplerOptions& options, const Json& state) {
  KGYM_TRY_VOID(CheckOptions(options));
  KGYM_TRY(const Json* random_state, GetArray(state, "random"));
  KGYM_TRY(Random random, Random::FromState(*random_state));
  KGYM_TRY(const Json* order, GetArray(state, "order"));
  PromptSampler sampler(options, order->size(), random);
  KGYM_TRY(sampler.order_, Numbers<std::size_t>(state, "order", order->size()));
  KGYM_TRY(sampler.rates_, Numbers<double>(state, "rates", order->size()));
  KGYM_TRY(sampler.last_taken_, Numbers<std::int64_t>(state, "last_taken", order->size()));
  KGYM_TRY(const std::int64_t position, GetInt(state, "position"));
  KGYM_TRY(sampler.epoch_, GetInt(state, "epoch"));
  KGYM_TRY(sampler.draws_, GetInt(state, "draws"));
  if (order->empty() || !IsPermutation(sampler.order_)) return Error{"order is no permutation of the prompts"};
  if (position < 0 || position > static_cast<std::int64_t>(order->size())) {
    return Error{Concat("position ", position, " lies outside the order")};
  }
  sampler.position_ = static_cast<std::size_t>(position);
  return sampler;
}

}  // namespace kgym::learn
