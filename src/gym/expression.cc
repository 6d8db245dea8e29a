#include "gym/expression.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <cmath>

#include "base/check.h"
#include "base/text.h"

namespace kgym::gym {
namespace {

constexpr std::size_t kLongest = 4096;  // Characters.
constexpr int kDeepest = 64;            // Each level costs a few frames of the stack.

bool StartsName(char c) { return std::isalpha(static_cast<unsigned char>(c)) != 0 || c == '_'; }
bool InName(char c) { return StartsName(c) || std::isdigit(static_cast<unsigned char>(c)) != 0; }

}  // namespace

/// Recursive descent, a function for each level of precedence, the loosest first.
class ExpressionParser {
 public:
  using Operation = Expression::Operation;

  ExpressionParser(std::string_view text, std::span<const std::string> names) : text_(text), names_(names) {}

  Result<Expression> Parse() {
    if (text_.size() > kLongest) return Error{Concat("expression: longer than ", kLongest, " characters")};
    KGYM_TRY(result_.root_, Or());
    SkipSpace();
    if (at_ < text_.size()) return Fault(Concat("'", text_.substr(at_, 1), "' is not expected here"));
    result_.text_ = std::string(text_);
    return std::move(result_);
  }

 private:
  struct Symbol {
    std::string_view text;
    Operation operation;
  };
  using Level = Result<std::size_t> (ExpressionParser::*)();

  struct Function {
    std::string_view name;
    Operation operation;
    std::size_t least, most;  // Arguments.
  };
  static constexpr std::array<Function, 9> kFunctions = {{{"min", Operation::kMin, 1, 64},
                                                          {"max", Operation::kMax, 1, 64},
                                                          {"clip", Operation::kClip, 3, 3},
                                                          {"if", Operation::kIf, 3, 3},
                                                          {"abs", Operation::kAbs, 1, 1},
                                                          {"sqrt", Operation::kSqrt, 1, 1},
                                                          {"exp", Operation::kExp, 1, 1},
                                                          {"log", Operation::kLog, 1, 1},
                                                          {"log2", Operation::kLog2, 1, 1}}};

  Error Fault(std::string_view what) const { return Error{Concat("expression, column ", at_ + 1, ": ", what)}; }

  void SkipSpace() {
    while (at_ < text_.size() && std::isspace(static_cast<unsigned char>(text_[at_])) != 0) ++at_;
  }

  /// Takes the symbol if it is next; a word only where it ends there.
  bool Take(std::string_view symbol) {
    SkipSpace();
    if (!text_.substr(at_).starts_with(symbol)) return false;
    const std::size_t end = at_ + symbol.size();
    if (StartsName(symbol[0]) && end < text_.size() && InName(text_[end])) return false;
    at_ = end;
    return true;
  }

  std::size_t Add(Expression::Node node) {
    result_.nodes_.push_back(std::move(node));
    return result_.nodes_.size() - 1;
  }

  /// Operands of the next level between symbols of this one, from left to right.
  Result<std::size_t> LeftToRight(Level next, std::span<const Symbol> symbols) {
    KGYM_TRY(std::size_t left, (this->*next)());
    for (;;) {
      const auto found = std::ranges::find_if(symbols, [&](const Symbol& symbol) { return Take(symbol.text); });
      if (found == symbols.end()) return left;
      KGYM_TRY(const std::size_t right, (this->*next)());
      left = Add({.operation = found->operation, .operands = {left, right}});
    }
  }

  Result<std::size_t> Or() {
    static constexpr Symbol kSymbols[] = {{"or", Operation::kOr}};
    if (++depth_ > kDeepest) return Fault(Concat("nested more than ", kDeepest, " deep"));
    Result<std::size_t> node = LeftToRight(&ExpressionParser::And, kSymbols);
    --depth_;
    return node;
  }

  Result<std::size_t> And() {
    static constexpr Symbol kSymbols[] = {{"and", Operation::kAnd}};
    return LeftToRight(&ExpressionParser::Not, kSymbols);
  }

  Result<std::size_t> Not() {
    bool negated = false, any = false;
    while (Take("not")) negated = !negated, any = true;
    KGYM_TRY(std::size_t node, Comparison());
    if (!any) return node;
    node = Add({.operation = Operation::kNot, .operands = {node}});
    return negated ? node : Add({.operation = Operation::kNot, .operands = {node}});
  }

  Result<std::size_t> Comparison() {
    // The longer symbols first: "<" also begins "<=".
    static constexpr Symbol kSymbols[] = {{"<=", Operation::kLessEqual}, {">=", Operation::kGreaterEqual},
                                          {"==", Operation::kEqual},     {"!=", Operation::kNotEqual},
                                          {"<", Operation::kLess},       {">", Operation::kGreater}};
    return LeftToRight(&ExpressionParser::Sum, kSymbols);
  }

  Result<std::size_t> Sum() {
    static constexpr Symbol kSymbols[] = {{"+", Operation::kAdd}, {"-", Operation::kSubtract}};
    return LeftToRight(&ExpressionParser::Product, kSymbols);
  }

  Result<std::size_t> Product() {
    static constexpr Symbol kSymbols[] = {{"*", Operation::kMultiply}, {"/", Operation::kDivide}};
    return LeftToRight(&ExpressionParser::Unary, kSymbols);
  }

  Result<std::size_t> Unary() {
    bool negative = false;
    for (;;) {
      if (Take("-")) {
        negative = !negative;
      } else if (!Take("+")) {
        break;
      }
    }
    KGYM_TRY(const std::size_t node, Primary());
    return negative ? Add({.operation = Operation::kNegate, .operands = {node}}) : node;
  }

  Result<std::size_t> Primary() {
    if (Take("(")) {
      KGYM_TRY(const std::size_t node, Or());
      if (!Take(")")) return Fault("')' is expected");
      return node;
    }
    SkipSpace();
    if (at_ == text_.size()) return Fault("a number, a name or '(' is expected, but the text ends");
    if (StartsName(text_[at_])) return Name();
    return Number();
  }

  Result<std::size_t> Number() {
    double number = 0;
    const char* begin = text_.data() + at_;
    const auto [end, code] = std::from_chars(begin, text_.data() + text_.size(), number);
    if (code != std::errc() || !std::isfinite(number)) {
      return Fault(Concat("a number, a name or '(' is expected, not '", text_.substr(at_, 1), "'"));
    }
    at_ += static_cast<std::size_t>(end - begin);
    return Add({.operation = Operation::kNumber, .number = number});
  }

  Result<std::size_t> Name() {
    std::size_t end = at_;
    while (end < text_.size() && InName(text_[end])) ++end;
    const std::string_view word = text_.substr(at_, end - at_);
    const auto function = std::ranges::find(kFunctions, word, &Function::name);
    if (function != kFunctions.end()) {
      at_ = end;
      return Call(*function);
    }
    const auto name = std::ranges::find(names_, word);
    if (name == names_.end()) return Fault(Concat("unknown name '", word, "'", DidYouMean(word, KnownWords())));
    at_ = end;
    return Add({.operation = Operation::kName, .name = static_cast<std::size_t>(name - names_.begin())});
  }

  Result<std::size_t> Call(const Function& function) {
    if (!Take("(")) return Fault(Concat("'(' is expected after ", function.name));
    std::vector<std::size_t> arguments;
    do {
      KGYM_TRY(const std::size_t argument, Or());
      arguments.push_back(argument);
    } while (Take(","));
    if (!Take(")")) return Fault(Concat("',' or ')' is expected in ", function.name, "(...)"));
    if (arguments.size() < function.least || arguments.size() > function.most) {
      return Fault(Concat(function.name, " takes ", function.least, function.least == function.most ? "" : " or more",
                          " arguments, not ", arguments.size()));
    }
    return Add({.operation = function.operation, .operands = std::move(arguments)});
  }

  std::vector<std::string> KnownWords() const {
    std::vector<std::string> words(names_.begin(), names_.end());
    for (const Function& function : kFunctions) words.emplace_back(function.name);
    return words;
  }

  std::string_view text_;
  std::span<const std::string> names_;
  std::size_t at_ = 0;
  int depth_ = 0;
  Expression result_;
};

Result<Expression> Expression::Compile(std::string_view text, std::span<const std::string> names) {
  return ExpressionParser(text, names).Parse();
}

Result<double> Expression::Evaluate(std::span<const double> values) const {
  const double value = ValueOf(root_, values);
  if (std::isfinite(value)) return value;
  return Error{Concat("expression '", text_, "' gives ", value, "; guard divisions and logarithms with if or max")};
}

double Expression::ValueOf(std::size_t index, std::span<const double> values) const {
  const Node& node = nodes_[index];
  const auto operand = [&](std::size_t i) { return ValueOf(node.operands[i], values); };
  const auto truth = [](bool value) { return value ? 1.0 : 0.0; };
  switch (node.operation) {
    case Operation::kNumber:
      return node.number;
    case Operation::kName:
      return values[node.name];
    case Operation::kNegate:
      return -operand(0);
    case Operation::kNot:
      return truth(operand(0) == 0);
    case Operation::kAdd:
      return operand(0) + operand(1);
    case Operation::kSubtract:
      return operand(0) - operand(1);
    case Operation::kMultiply:
      return operand(0) * operand(1);
    case Operation::kDivide:
      return operand(0) / operand(1);
    case Operation::kLess:
      return truth(operand(0) < operand(1));
    case Operation::kLessEqual:
      return truth(operand(0) <= operand(1));
    case Operation::kGreater:
      return truth(operand(0) > operand(1));
    case Operation::kGreaterEqual:
      return truth(operand(0) >= operand(1));
    case Operation::kEqual:
      return truth(operand(0) == operand(1));
    case Operation::kNotEqual:
      return truth(operand(0) != operand(1));
    case Operation::kAnd:
      return truth(operand(0) != 0 && operand(1) != 0);
    case Operation::kOr:
      return truth(operand(0) != 0 || operand(1) != 0);
    case Operation::kIf:
      return operand(0) != 0 ? operand(1) : operand(2);
    case Operation::kClip:
      return std::max(operand(1), std::min(operand(0), operand(2)));
    case Operation::kAbs:
      return std::abs(operand(0));
    case Operation::kSqrt:
      return std::sqrt(operand(0));
    case Operation::kExp:
      return std::exp(operand(0));
    case Operation::kLog:
      return std::log(operand(0));
    case Operation::kLog2:
      return std::log2(operand(0));
    case Operation::kMin:
    case Operation::kMax:
      break;
  }
  double extreme = operand(0);
  for (std::size_t i = 1; i < node.operands.size(); ++i) {
    const double other = operand(i);
    extreme = node.operation == Operation::kMin ? std::min(extreme, other) : std::max(extreme, other);
  }
  return extreme;
}

}  // namespace kgym::gym
