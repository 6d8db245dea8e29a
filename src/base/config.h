// Typed configuration: a struct whose fields say what they mean, from which files, overrides, help and dumps follow.
//
//   struct TimingConfig {
//     int trials = 100;
//     Duration budget = 2s;
//     Clocks clocks = Clocks::kBoth;
//
//     template <class Visitor>
//     void Visit(Visitor&& field) {
//       field("trials", trials, {.meaning = "timed calls of each side", .unit = "calls", .min = 1, .max = 10'000});
//       field("budget", budget, {.meaning = "longest time spent on timing", .min = 0.001});    // Seconds.
//       field("clocks", clocks, {.meaning = "which clocks must agree", .choices = {"host", "judge", "both"}});
//     }
//   };
//   struct EvalConfig {
//     TimingConfig timing;
//     template <class Visitor> void Visit(Visitor&& field) { field.Group("timing", timing); }
//   };
//
// A field is a bool, int, std::int64_t, double, std::string, Duration, std::vector<std::string>, or an enum whose
// values count from 0 in the order of `choices`. Keys are dotted ("timing.trials"). The order of precedence is the
// caller's: defaults, then LoadYaml, then Override.
//
// Threads: a ConfigFields points into its struct, and is used by one thread at a time.
#pragma once

#include <concepts>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

#include "base/duration.h"
#include "base/json.h"
#include "base/result.h"

namespace kgym {

/// What a person is told of a field, and what a value must satisfy. Limits are inclusive; a Duration's are in seconds.
struct FieldInfo {
  std::string meaning;
  std::string unit = {};
  std::optional<double> min = {};
  std::optional<double> max = {};
  std::vector<std::string> choices = {};
};

/// An enum of a type that is not known here, as the index of its name.
struct ConfigChoice {
  std::function<std::size_t()> get;
  std::function<void(std::size_t)> set;
};

struct ConfigField {
  using Target = std::variant<bool*, int*, std::int64_t*, double*, std::string*, Duration*, std::vector<std::string>*,
                              ConfigChoice>;
  std::string key;
  Target target;
  FieldInfo info;
};

/// The fields of one config struct, which must outlive it.
class ConfigFields {
 public:
  template <class Config>
  requires(!std::same_as<std::remove_const_t<Config>, ConfigFields>) explicit ConfigFields(Config& config) {
    config.Visit(*this);
  }

  /// Called by a struct's Visit for each field.
  template <class T>
  void operator()(std::string_view key, T& member, FieldInfo info) {
    if constexpr (std::is_enum_v<T>) {
      Add(key,
          ConfigChoice{[&member] { return static_cast<std::size_t>(member); },
                       [&member](std::size_t index) { member = static_cast<T>(index); }},
          std::move(info));
    } else {
      Add(key, &member, std::move(info));
    }
  }

  /// Called by a struct's Visit for a struct inside it.
  template <class Config>
  void Group(std::string_view name, Config& group) {
    const std::string outer = prefix_;
    prefix_ += std::string(name) + ".";
    group.Visit(*this);
    prefix_ = outer;
  }

  const std::vector<ConfigField>& all() const { return fields_; }

  /// Sets what the file says; nested maps and dotted keys both name a field. An error reads "<file>:<line>: ...".
  /// After an error some fields may have been set.
  Status LoadYaml(const std::filesystem::path& file);
  Status ParseYaml(std::string_view text, std::string_view where);

  /// "timing.trials=50"; a list is separated by commas. An error reads "config: ...".
  Status Override(std::string_view assignment);
  Status Set(std::string_view key, std::string_view value);

  /// A table for a person: key, value as it is now (the default, if nothing was set), unit and limits, meaning.
  std::string Help() const;

  Json ToJson() const;         // Nested by the dots of the keys; a Duration is text such as "250ms".
  std::string ToYaml() const;  // Reads back to the same values; meanings as comments.

 private:
  void Add(std::string_view key, ConfigField::Target target, FieldInfo info);
  ConfigField* Find(std::string_view key);
  Error Unknown(std::string_view key) const;

  std::string prefix_;
  std::vector<ConfigField> fields_;
};

}  // namespace kgym
