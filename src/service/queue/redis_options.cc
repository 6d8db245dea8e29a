#include "service/queue/redis_options.h"

#include <charconv>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr std::string_view kForm = "redis[s]://[[user]:password@]host[:port][/database]";
constexpr std::string_view kPlain = "redis://", kTls = "rediss://", kCa = "?ca=";

Result<int> ParseNumber(std::string_view what, std::string_view text, int largest) {
  int number = 0;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (code != std::errc() || end != text.data() + text.size() || number < 0 || number > largest) {
    return Error{Concat("redis address: ", what, " '", text, "'; 0 to ", largest, " is expected")};
  }
  return number;
}

// Takes from `rest` what stands after the last `mark`, if there is one.
std::string_view CutAfter(std::string_view& rest, char mark) {
  const std::size_t at = rest.rfind(mark);
  if (at == std::string_view::npos) return {};
  const std::string_view cut = rest.substr(at + 1);
  rest = rest.substr(0, at);
  return cut;
}

}  // namespace

std::string RedisAddress::Text() const { return Concat(tls ? "redis over TLS " : "redis ", host, ":", port); }

Result<RedisAddress> ParseRedisAddress(const std::string& url) {
  RedisAddress address;
  address.tls = url.starts_with(kTls);
  if (!address.tls && !url.starts_with(kPlain))
    return Error{Concat("redis address: '", url, "'; ", kForm, " is expected")};
  std::string_view rest = std::string_view(url).substr((address.tls ? kTls : kPlain).size());
  if (const std::size_t mark = rest.rfind(kCa); mark != std::string_view::npos && address.tls) {
    address.ca = rest.substr(mark + kCa.size());
    rest = rest.substr(0, mark);
  }
  if (const std::size_t at = rest.rfind('@'); at != std::string_view::npos) {
    std::string_view who = rest.substr(0, at);
    rest = rest.substr(at + 1);
    const std::size_t colon = who.find(':');
    if (colon == std::string_view::npos)
      return Error{Concat("redis address: no ':' before '@'; ", kForm, " is expected")};
    address.user = who.substr(0, colon);
    address.password = who.substr(colon + 1);
  }
  if (const std::string_view database = CutAfter(rest, '/'); !database.empty()) {
    KGYM_TRY(address.database, ParseNumber("database", database, 1'000'000));
  }
  const bool bracket_last = rest.ends_with(']');  // An IPv6 address without a port.
  if (const std::string_view port = bracket_last ? std::string_view() : CutAfter(rest, ':'); !port.empty()) {
    KGYM_TRY(address.port, ParseNumber("port", port, 65535));
  }
  if (rest.starts_with('[') && rest.ends_with(']')) rest = rest.substr(1, rest.size() - 2);
  if (!rest.empty()) address.host = rest;
  return address;
}

}  // namespace kgym::service
