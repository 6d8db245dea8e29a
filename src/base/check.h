// KGYM_CHECK: for what cannot happen. A broken invariant stops the process with the expression, the values and the
// place.
//
//   KGYM_CHECK(lane.idle()) << "lane " << lane.name();
//   KGYM_CHECK_LE(used, capacity);                         // Prints both values.
//
// Checked in every build. Never for what a person or a submission may cause: that is a Result.
//
// Threads: any.
#pragma once

#include <memory>
#include <ostream>
#include <sstream>

namespace kgym::internal {

/// Collects the message; its end is the end of the process.
class CheckFailure {
 public:
  CheckFailure(const char* expression, const char* file, int line);
  CheckFailure(const CheckFailure&) = delete;
  CheckFailure& operator=(const CheckFailure&) = delete;
  [[noreturn]] ~CheckFailure();

  std::ostream& stream() { return message_; }

 private:
  std::ostringstream message_;
};

/// Gives both arms of KGYM_CHECK's conditional the type void; & binds weaker than << and stronger than ?:.
struct Discard {
  void operator&(std::ostream&) const {}
};

/// The two values of a failed comparison as text, or null where it held.
template <class A, class B, class Holds>
std::unique_ptr<std::string> Compare(const A& a, const B& b, Holds holds) {
  if (holds(a, b)) [[likely]]
    return nullptr;
  std::ostringstream text;
  text << " (" << a << " against " << b << ") ";
  return std::make_unique<std::string>(text.str());
}

}  // namespace kgym::internal

#define KGYM_CHECK(condition)                          \
  __builtin_expect(static_cast<bool>(condition), true) \
      ? static_cast<void>(0)                           \
      : ::kgym::internal::Discard() & ::kgym::internal::CheckFailure(#condition, __FILE__, __LINE__).stream()

#define KGYM_CHECK_COMPARE_(op, a, b)                                                                            \
  switch (0)                                                                                                     \
  case 0:                                                                                                        \
  default:                                                                                                       \
    if (auto kgym_values = ::kgym::internal::Compare(a, b, [](const auto& x, const auto& y) { return x op y; }); \
        !kgym_values) {                                                                                          \
    } else /* NOLINT */                                                                                          \
      ::kgym::internal::CheckFailure(#a " " #op " " #b, __FILE__, __LINE__).stream() << *kgym_values

#define KGYM_CHECK_EQ(a, b) KGYM_CHECK_COMPARE_(==, a, b)
#define KGYM_CHECK_NE(a, b) KGYM_CHECK_COMPARE_(!=, a, b)
#define KGYM_CHECK_LT(a, b) KGYM_CHECK_COMPARE_(<, a, b)
#define KGYM_CHECK_LE(a, b) KGYM_CHECK_COMPARE_(<=, a, b)
#define KGYM_CHECK_GT(a, b) KGYM_CHECK_COMPARE_(>, a, b)
#define KGYM_CHECK_GE(a, b) KGYM_CHECK_COMPARE_(>=, a, b)
