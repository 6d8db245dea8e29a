// A small language for numbers: rewards that a person writes into a config. It can compute and nothing else: no loops,
// no state, no names beyond those given, bounded depth and length.
//
//   0.3 * correct + if(speedup > 1.05, min(speedup, 5), 0) - 0.1 * (code_length > 8000)
//
//   expression   or-terms           or         and
//   comparison   < <= > >= == !=    (1 or 0)   not
//   arithmetic   + - * /  unary -   numbers as in C, such as 1e-3
//   functions    min(a, ...)  max(a, ...)  clip(x, low, high)  if(condition, then, else)  abs  sqrt  exp  log  log2
//
// 0 is false, anything else true. `if`, `and` and `or` evaluate only what they need.
//
// Threads: any; immutable once compiled.
#pragma once

#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace kgym::gym {

class Expression {
 public:
  /// An error names the column, counted from 1; for an unknown name also the nearest known one.
  static Result<Expression> Compile(std::string_view text, std::span<const std::string> names);

  /// `values` in the order of the names. A result that is not finite (a division by 0, a logarithm of 0) is an error.
  Result<double> Evaluate(std::span<const double> values) const;

  const std::string& text() const { return text_; }

 private:
  friend class ExpressionParser;

  enum class Operation {
    kNumber,
    kName,
    kNegate,
    kNot,
    kAdd,
    kSubtract,
    kMultiply,
    kDivide,
    kLess,
    kLessEqual,
    kGreater,
    kGreaterEqual,
    kEqual,
    kNotEqual,
    kAnd,
    kOr,
    kMin,
    kMax,
    kClip,
    kIf,
    kAbs,
    kSqrt,
    kExp,
    kLog,
    kLog2,
  };
  struct Node {
    Operation operation;
    double number = 0;                       // kNumber
    std::size_t name = 0;                    // kName
    std::vector<std::size_t> operands = {};  // Node numbers.
  };

  double ValueOf(std::size_t node, std::span<const double> values) const;

  std::string text_;
  std::vector<Node> nodes_;
  std::size_t root_ = 0;
};

}  // namespace kgym::gym
