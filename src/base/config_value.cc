#include "base/config_value.h"

#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace kgym::internal {
namespace {

template <class... Cases>
struct Overloaded : Cases... {
  using Cases::operator()...;
};
template <class... Cases>
Overloaded(Cases...) -> Overloaded<Cases...>;

Error Unfit(const ConfigField& field, std::string_view text) {
  return Error{Concat(field.key, ": '", text, "' found; ", Expectation(field), " is expected")};
}

bool InRange(const FieldInfo& info, double value) {
  return (!info.min || value >= *info.min) && (!info.max || value <= *info.max);
}

template <class Number>
Status SetNumber(const ConfigField& field, Number& target, std::string_view text) {
  Number value{};
  const char* const end = text.data() + text.size();
  const auto [stop, code] = std::from_chars(text.data(), end, value);
  const bool whole = code == std::errc() && stop == end && std::isfinite(static_cast<double>(value));
  if (!whole || !InRange(field.info, static_cast<double>(value))) return Unfit(field, text);
  target = value;
  return Ok();
}

Status SetBool(const ConfigField& field, bool& target, std::string_view text) {
  const bool yes = text == "true" || text == "yes" || text == "on" || text == "1";
  const bool no = text == "false" || text == "no" || text == "off" || text == "0";
  if (!yes && !no) return Unfit(field, text);
  target = yes;
  return Ok();
}

Status SetDuration(const ConfigField& field, Duration& target, std::string_view text) {
  const Result<Duration> value = ParseDuration(text);
  if (!value || !InRange(field.info, ToSeconds(*value))) return Unfit(field, text);
  target = *value;
  return Ok();
}

Status SetString(const ConfigField& field, std::string& target, std::string_view text) {
  const auto& choices = field.info.choices;
  if (!choices.empty() && std::find(choices.begin(), choices.end(), text) == choices.end()) return Unfit(field, text);
  target = text;
  return Ok();
}

Status SetChoice(const ConfigField& field, const ConfigChoice& target, std::string_view text) {
  const auto& choices = field.info.choices;
  const auto found = std::find(choices.begin(), choices.end(), text);
  if (found == choices.end()) return Unfit(field, text);
  target.set(static_cast<std::size_t>(found - choices.begin()));
  return Ok();
}

Status SetList(const ConfigField& field, std::vector<std::string>& target, std::vector<std::string> items) {
  const auto& choices = field.info.choices;
  for (const std::string& item : items) {
    const bool known = choices.empty() || std::find(choices.begin(), choices.end(), item) != choices.end();
    if (!known) return Unfit(field, item);
  }
  if (!InRange(field.info, static_cast<double>(items.size()))) return Unfit(field, Join(items, ","));
  target = std::move(items);
  return Ok();
}

std::string Limits(const FieldInfo& info, bool duration) {
  const auto text = [&](double limit) { return duration ? ExactDuration(FromSeconds(limit)) : Concat(limit); };
  if (info.min && info.max) return Concat(" from ", text(*info.min), " to ", text(*info.max));
  if (info.min) return Concat(" of at least ", text(*info.min));
  if (info.max) return Concat(" of at most ", text(*info.max));
  return {};
}

/// The shortest text that reads back to the same number.
std::string Exact(double value) {
  char text[64];
  return std::string(text, std::to_chars(text, text + sizeof text, value).ptr);
}

const std::string& ChosenName(const ConfigField& field, const ConfigChoice& choice) {
  KGYM_CHECK_LT(choice.get(), field.info.choices.size()) << field.key;
  return field.info.choices[choice.get()];
}

}  // namespace

Status SetFromText(ConfigField& field, std::string_view text) {
  return std::visit(Overloaded{
                        [&](bool* target) { return SetBool(field, *target, text); },
                        [&](int* target) { return SetNumber(field, *target, text); },
                        [&](std::int64_t* target) { return SetNumber(field, *target, text); },
                        [&](double* target) { return SetNumber(field, *target, text); },
                        [&](std::string* target) { return SetString(field, *target, text); },
                        [&](Duration* target) { return SetDuration(field, *target, text); },
                        [&](std::vector<std::string>* target) { return SetList(field, *target, Split(text, ',')); },
                        [&](const ConfigChoice& target) { return SetChoice(field, target, text); },
                    },
                    field.target);
}

Status SetFromList(ConfigField& field, const std::vector<std::string>& items) {
  if (auto* const* target = std::get_if<std::vector<std::string>*>(&field.target))
    return SetList(field, **target, items);
  return Error{Concat(field.key, ": a list found; ", Expectation(field), " is expected")};
}

std::string Expectation(const ConfigField& field) {
  const FieldInfo& info = field.info;
  const std::string names = "one of " + Join(info.choices, ", ");
  return std::visit(Overloaded{
                        [&](bool*) { return std::string("true or false"); },
                        [&](int*) { return "an integer" + Limits(info, false); },
                        [&](std::int64_t*) { return "an integer" + Limits(info, false); },
                        [&](double*) { return "a number" + Limits(info, false); },
                        [&](std::string*) { return info.choices.empty() ? "text" : names; },
                        [&](Duration*) { return "a duration such as 250ms" + Limits(info, true); },
                        [&](std::vector<std::string>*) {
                          if (!info.choices.empty()) return "a list of names, each " + names;
                          return info.min || info.max ? "a list with a length" + Limits(info, false) : "a list";
                        },
                        [&](const ConfigChoice&) { return names; },
                    },
                    field.target);
}

std::string ValueText(const ConfigField& field) {
  return std::visit(Overloaded{
                        [](bool* value) { return std::string(*value ? "true" : "false"); },
                        [](int* value) { return std::to_string(*value); },
                        [](std::int64_t* value) { return std::to_string(*value); },
                        [](double* value) { return Exact(*value); },
                        [](std::string* value) { return *value; },
                        [](Duration* value) { return ExactDuration(*value); },
                        [](std::vector<std::string>* value) { return Join(*value, ","); },
                        [&](const ConfigChoice& choice) { return ChosenName(field, choice); },
                    },
                    field.target);
}

Json ValueJson(const ConfigField& field) {
  return std::visit(Overloaded{
                        [](bool* value) { return Json(*value); },
                        [](int* value) { return Json(*value); },
                        [](std::int64_t* value) { return Json(*value); },
                        [](double* value) { return Json(*value); },
                        [](std::string* value) { return Json(*value); },
                        [](Duration* value) { return Json(ExactDuration(*value)); },
                        [](std::vector<std::string>* value) { return Json(*value); },
                        [&](const ConfigChoice& choice) { return Json(ChosenName(field, choice)); },
                    },
                    field.target);
}

}  // namespace kgym::internal
