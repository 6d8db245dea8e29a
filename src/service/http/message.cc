#include "service/http/message.h"

#include <algorithm>
#include <charconv>

namespace kgym::http {
namespace {

char Lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c + ('a' - 'A')) : c; }

}  // namespace

bool SameWord(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return Lower(x) == Lower(y); });
}

const std::string* Headers::Find(std::string_view name) const {
  for (const Header& header : all_) {
    if (SameWord(header.name, name)) return &header.value;
  }
  return nullptr;
}

std::string_view Headers::Get(std::string_view name) const {
  const std::string* value = Find(name);
  return value != nullptr ? std::string_view(*value) : std::string_view();
}

int Headers::Count(std::string_view name) const {
  return static_cast<int>(std::ranges::count_if(all_, [&](const Header& one) { return SameWord(one.name, name); }));
}

std::string Request::QueryText(const std::string& name, std::string otherwise) const {
  const auto found = query.find(name);
  return found != query.end() ? found->second : std::move(otherwise);
}

std::int64_t Request::QueryInt(const std::string& name, std::int64_t otherwise) const {
  const std::string text = QueryText(name);
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

double Request::QueryDouble(const std::string& name, double otherwise) const {
  const std::string text = QueryText(name);
  std::from_chars(text.data(), text.data() + text.size(), otherwise);
  return otherwise;
}

Response JsonResponse(const Json& json, int status) { return JsonTextResponse(DumpJson(json), status); }

Response JsonTextResponse(std::string json, int status) {
  Response response;
  response.status = status;
  response.body = std::move(json);
  return response;
}

std::string_view StatusText(int status) {
  switch (status) {
    case 200:
      return "OK";
    case 201:
      return "Created";
    case 202:
      return "Accepted";
    case 204:
      return "No Content";
    case 207:
      return "Multi-Status";
    case 400:
      return "Bad Request";
    case 401:
      return "Unauthorized";
    case 403:
      return "Forbidden";
    case 404:
      return "Not Found";
    case 405:
      return "Method Not Allowed";
    case 406:
      return "Not Acceptable";
    case 409:
      return "Conflict";
    case 410:
      return "Gone";
    case 413:
      return "Content Too Large";
    case 414:
      return "URI Too Long";
    case 415:
      return "Unsupported Media Type";
    case 417:
      return "Expectation Failed";
    case 421:
      return "Misdirected Request";
    case 422:
      return "Unprocessable Content";
    case 429:
      return "Too Many Requests";
    case 431:
      return "Request Header Fields Too Large";
    case 500:
      return "Internal Server Error";
    case 501:
      return "Not Implemented";
    case 503:
      return "Service Unavailable";
    case 505:
      return "HTTP Version Not Supported";
    case 507:
      return "Insufficient Storage";
    default:
      return "Unknown";
  }
}

}  // namespace kgym::http
