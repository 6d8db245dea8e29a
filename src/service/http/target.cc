#include "service/http/target.h"

#include "base/text.h"

namespace kgym::http {
namespace {

int HexDigit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  if (c >= 'A' && c <= 'F') return c - 'A' + 10;
  return -1;
}

bool Unreserved(char c) {
  return (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '-' || c == '.' ||
         c == '_' || c == '~';
}

Status ParseQuery(std::string_view text, std::map<std::string, std::string>& query) {
  while (!text.empty()) {
    const std::string_view pair = text.substr(0, text.find('&'));
    text.remove_prefix(std::min(text.size(), pair.size() + 1));
    if (pair.empty()) continue;
    const std::size_t equals = std::min(pair.find('='), pair.size());
    KGYM_TRY(std::string name, PercentDecode(pair.substr(0, equals), true));
    KGYM_TRY(std::string value, PercentDecode(pair.substr(std::min(pair.size(), equals + 1)), true));
    query[std::move(name)] = std::move(value);
  }
  return Ok();
}

}  // namespace

Result<Target> ParseTarget(std::string_view text) {
  if (!text.starts_with('/')) {
    return Error{Concat("target '", ToUtf8(text.substr(0, 80)), "'; a path that starts with / is expected")};
  }
  text = text.substr(0, text.find('#'));
  const std::size_t question = std::min(text.find('?'), text.size());
  Target target;
  std::string_view path = text.substr(1, question - 1);
  for (bool more = true; more;) {
    const std::size_t slash = path.find('/');
    KGYM_TRY(std::string segment, PercentDecode(path.substr(0, slash), false));
    target.segments.push_back(std::move(segment));
    more = slash != std::string_view::npos;
    if (more) path.remove_prefix(slash + 1);
  }
  KGYM_TRY_VOID(ParseQuery(text.substr(std::min(text.size(), question + 1)), target.query));
  return target;
}

Result<std::string> PercentDecode(std::string_view text, bool plus_is_space) {
  std::string decoded;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text[i] != '%') {
      decoded += plus_is_space && text[i] == '+' ? ' ' : text[i];
      continue;
    }
    const int high = i + 2 < text.size() ? HexDigit(text[i + 1]) : -1;
    const int low = i + 2 < text.size() ? HexDigit(text[i + 2]) : -1;
    if (high < 0 || low < 0) {
      return Error{Concat("target: '", ToUtf8(text.substr(i, 3)), "' found; % and two hex digits are expected")};
    }
    decoded += static_cast<char>(high * 16 + low);
    i += 2;
  }
  if (!IsUtf8(decoded) || decoded.find('\0') != std::string::npos) {
    return Error{"target: bytes that are no text found; UTF-8 without NUL, percent-encoded, is expected"};
  }
  return decoded;
}

std::string PercentEncode(std::string_view text) {
  constexpr std::string_view kDigits = "0123456789ABCDEF";
  std::string encoded;
  for (const char c : text) {
    if (Unreserved(c)) {
      encoded += c;
      continue;
    }
    const auto byte = static_cast<unsigned char>(c);
    encoded += {'%', kDigits[byte >> 4], kDigits[byte & 15]};
  }
  return encoded;
}

}  // namespace kgym::http
