// Result<T>: a value, or an Error that says in a sentence why there is none. For what may happen: a bad file, a full
// disk, a dead host. What cannot happen is KGYM_CHECK's.
//
//   Result<int> Parse(std::string_view text);
//   Result<int> Sum(std::string_view a, std::string_view b) {
//     KGYM_TRY(int left, Parse(a));                // Leaves the function with the error, if there is one.
//     KGYM_TRY(int right, Parse(b));
//     return left + right;
//   }
//
// In a coroutine use KGYM_CO_TRY. For a Status (no value): KGYM_TRY_VOID and KGYM_CO_TRY_VOID.
//
// Threads: as safe as T; a Result is a plain value.
#pragma once

#include <concepts>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

#include "base/check.h"

namespace kgym {

/// A message for a person: the thing, the value found, what was expected.
struct Error {
  std::string message;
};

/// "<what>: <text of errno>", from errno as it is at the call.
Error SystemError(std::string_view what);

/// The error again, with "<context>: " before it.
Error Within(std::string_view context, Error error);

template <class T>
class [[nodiscard]] Result {
 public:
  using Value = T;

  template <class U = T>
  requires(std::convertible_to<U&&, T> && !std::same_as<std::remove_cvref_t<U>, Result> &&
           !std::same_as<std::remove_cvref_t<U>, Error>) Result(U&& value)
      : state_(std::in_place_index<0>, std::forward<U>(value)) {}
  Result(Error error) : state_(std::in_place_index<1>, std::move(error)) {}

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// The value; asking for it where there is none is a bug, and stops the process with the error's message.
  const T& value() const& { return Checked(), std::get<0>(state_); }
  T& value() & { return Checked(), std::get<0>(state_); }
  T&& value() && { return Checked(), std::get<0>(std::move(state_)); }
  const T& operator*() const& { return value(); }
  T& operator*() & { return value(); }
  T&& operator*() && { return std::move(*this).value(); }
  const T* operator->() const { return &value(); }
  T* operator->() { return &value(); }

  T value_or(T other) && { return ok() ? std::get<0>(std::move(state_)) : std::move(other); }

  const Error& error() const& { return std::get<1>(state_); }
  Error&& error() && { return std::get<1>(std::move(state_)); }

 private:
  void Checked() const { KGYM_CHECK(ok()) << error().message; }

  std::variant<T, Error> state_;
};

template <>
class [[nodiscard]] Result<void> {
 public:
  using Value = void;

  Result() = default;
  Result(Error error) : failed_(true), error_(std::move(error)) {}

  bool ok() const { return !failed_; }
  explicit operator bool() const { return ok(); }
  void value() const { KGYM_CHECK(ok()) << error_.message; }

  const Error& error() const& { return error_; }
  Error&& error() && { return std::move(error_); }

 private:
  bool failed_ = false;
  Error error_;
};

using Status = Result<void>;

/// What a function of type Status returns when all went well.
inline Status Ok() { return {}; }

}  // namespace kgym

#define KGYM_JOIN_AGAIN_(a, b) a##b
#define KGYM_JOIN_(a, b) KGYM_JOIN_AGAIN_(a, b)
#define KGYM_TRY_WITH_(leave, name, declaration, ...)           \
  auto name = (__VA_ARGS__);                                    \
  if (!name.ok()) leave ::kgym::Error(std::move(name).error()); \
  declaration = std::move(name).value()
#define KGYM_TRY_VOID_WITH_(leave, ...)                                         \
  do {                                                                          \
    auto kgym_status = (__VA_ARGS__);                                           \
    if (!kgym_status.ok()) leave ::kgym::Error(std::move(kgym_status).error()); \
  } while (false)

#define KGYM_TRY(declaration, ...) KGYM_TRY_WITH_(return, KGYM_JOIN_(kgym_try_, __LINE__), declaration, __VA_ARGS__)
#define KGYM_CO_TRY(declaration, ...) \
  KGYM_TRY_WITH_(co_return, KGYM_JOIN_(kgym_try_, __LINE__), declaration, __VA_ARGS__)
#define KGYM_TRY_VOID(...) KGYM_TRY_VOID_WITH_(return, __VA_ARGS__)
#define KGYM_CO_TRY_VOID(...) KGYM_TRY_VOID_WITH_(co_return, __VA_ARGS__)
