#include "service/compat/fields.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>

#include "base/text.h"

namespace kgym::service::kernelgym {
namespace {

constexpr std::array<std::string_view, 6> kTrue = {"1", "on", "t", "true", "y", "yes"};
constexpr std::array<std::string_view, 6> kFalse = {"0", "off", "f", "false", "n", "no"};
constexpr double kLargest = 9e15;  // Up to which a double holds every integer.

std::string Lower(std::string text) {
  std::ranges::transform(text, text.begin(), [](unsigned char c) { return std::tolower(c); });
  return text;
}

std::optional<std::int64_t> Whole(double number) {
  if (!(std::abs(number) <= kLargest) || number != std::floor(number)) return std::nullopt;
  return static_cast<std::int64_t>(number);
}

std::optional<std::int64_t> ToInt(const Json& value) {
  if (value.is_boolean()) return value.get<bool>() ? 1 : 0;
  if (value.is_number_integer() && !value.is_number_unsigned()) return value.get<std::int64_t>();
  if (value.is_number()) return Whole(value.get<double>());
  if (!value.is_string()) return std::nullopt;
  const std::string_view text = Trim(value.get_ref<const std::string&>());
  double number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (text.empty() || code != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return Whole(number);
}

std::optional<bool> ToBool(const Json& value) {
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) {
    const double number = value.get<double>();
    return number == 0 ? std::optional(false) : number == 1 ? std::optional(true) : std::nullopt;
  }
  if (!value.is_string()) return std::nullopt;
  const std::string text = Lower(value.get<std::string>());
  if (std::ranges::find(kTrue, text) != kTrue.end()) return true;
  if (std::ranges::find(kFalse, text) != kFalse.end()) return false;
  return std::nullopt;
}

}  // namespace

Fields::Fields(const Json& body, std::string where) : body_(body.is_object() ? body : none_), where_(std::move(where)) {
  if (!body.is_object()) faults_.push_back(Concat("{'loc': ('", where_, "',), 'msg': 'Input should be an object'}"));
}

void Fields::Note(std::string_view name, const std::string& message) {
  faults_.push_back(Concat("{'loc': ('", where_, "', '", name, "'), 'msg': '", message, "'}"));
}

std::string Fields::Faults() const {
  std::string all = "[";
  for (const std::string& fault : faults_) all += (all.size() > 1 ? ", " : "") + fault;
  return all + "]";
}

const Json* Fields::Find(std::string_view name, Need need) {
  const auto found = body_.find(std::string(name));
  if (found == body_.end()) {
    if (need == Need::kRequired) Note(name, "Field required");
    return nullptr;
  }
  if (!found->is_null()) return &*found;
  if (need != Need::kMayBeNull) Note(name, "Input should not be null");
  return nullptr;
}

std::optional<std::string> Fields::Text(std::string_view name, Need need) {
  const Json* value = Find(name, need);
  if (value == nullptr) return std::nullopt;
  if (value->is_string()) return value->get<std::string>();
  Note(name, "Input should be a valid string");
  return std::nullopt;
}

std::string Fields::TextOr(std::string_view name, std::string otherwise, Need need) {
  return Text(name, need).value_or(std::move(otherwise));
}

std::int64_t Fields::IntOr(std::string_view name, std::int64_t otherwise, std::int64_t least, std::int64_t most) {
  const Json* value = Find(name, Need::kNotNull);
  if (value == nullptr) return otherwise;
  const std::optional<std::int64_t> number = ToInt(*value);
  if (!number) {
    Note(name, "Input should be a valid integer");
  } else if (*number < least || *number > most) {
    Note(name, Concat("Input should be between ", least, " and ", most, ", not ", *number));
  } else {
    return *number;
  }
  return otherwise;
}

std::optional<bool> Fields::Bool(std::string_view name, Need need) {
  const Json* value = Find(name, need);
  if (value == nullptr) return std::nullopt;
  const std::optional<bool> truth = ToBool(*value);
  if (!truth) Note(name, "Input should be a valid boolean");
  return truth;
}

std::string Fields::ChoiceOr(std::string_view name, std::string otherwise,
                             std::initializer_list<std::string_view> choices) {
  const std::string text = TextOr(name, otherwise, Need::kNotNull);
  if (std::ranges::find(choices, text) != choices.end()) return text;
  std::string all;
  for (const std::string_view choice : choices) all += Concat(all.empty() ? "" : ", ", choice);
  Note(name, Concat("Input should be one of ", all));
  return otherwise;
}

Json Fields::Structure(std::string_view name, std::initializer_list<std::string_view> types) {
  const Json* value = Find(name, Need::kMayBeNull);
  if (value == nullptr) return nullptr;
  if (std::ranges::find(types, std::string_view(value->type_name())) != types.end()) return *value;
  Note(name, Concat("Input should be a valid ", *types.begin()));
  return nullptr;
}

}  // namespace kgym::service::kernelgym
