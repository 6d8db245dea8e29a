#include "learn/token_returns.h"

#include "learn/check_input.h"

namespace kgym::learn {

Status TokenReturns(std::span<const double> rewards, const TokenRows& tokens, double gamma, Gap gap,
                    std::span<double> returns) {
  KGYM_TRY_VOID(CheckRange("gamma", gamma, 0, 1));
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("rewards", rewards, tokens));
  KGYM_TRY_VOID(CheckLength("returns", returns.size(), rewards.size()));
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    double following = 0;
    for (std::size_t i = tokens.end(row); i-- > tokens.begin(row);) {
      const bool counts = tokens.mask.data()[i] != 0;
      if (counts) following = rewards.data()[i] + gamma * following;
      if (!counts && gap == Gap::kReset) following = 0;
      returns.data()[i] = counts ? following : 0;
    }
  }
  return Ok();
}

Status Gae(std::span<const double> rewards, std::span<const double> values, const TokenRows& tokens, double gamma,
           double lambda, std::span<double> advantages, std::span<double> returns) {
  KGYM_TRY_VOID(CheckRange("gamma", gamma, 0, 1));
  KGYM_TRY_VOID(CheckRange("lambda", lambda, 0, 1));
  KGYM_TRY_VOID(CheckTokenRows(tokens));
  KGYM_TRY_VOID(CheckTokens("rewards", rewards, tokens));
  KGYM_TRY_VOID(CheckTokens("values", values, tokens));
  KGYM_TRY_VOID(CheckLength("advantages", advantages.size(), rewards.size()));
  KGYM_TRY_VOID(CheckLength("returns", returns.size(), rewards.size()));
  for (std::size_t row = 0; row < tokens.rows(); ++row) {
    double next_value = 0, advantage = 0;
    for (std::size_t i = tokens.end(row); i-- > tokens.begin(row);) {
      if (tokens.mask.data()[i] == 0) {
        advantages.data()[i] = returns.data()[i] = 0;
        continue;
      }
      const double value = values.data()[i];
      advantage = rewards.data()[i] + gamma * next_value - value + gamma * lambda * advantage;
      next_value = value;
      advantages.data()[i] = advantage;
      returns.data()[i] = advantage + value;
    }
  }
  return Ok();
}

}  // namespace kgym::learn
