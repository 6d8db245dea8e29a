// A request as a handler sees it, and the answer it gives. Plain values; nothing here knows Beast.
//
// Threads: a request and its answer belong to the server's executor.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/async.h"
#include "base/json.h"

namespace kgym::http {

class Hangup;
class Stream;
struct Principal;
struct Route;

struct Header {
  std::string name;
  std::string value;
};

/// In the order they came; names compare without regard to case.
class Headers {
 public:
  void Add(std::string name, std::string value) { all_.push_back({std::move(name), std::move(value)}); }

  /// The first of that name; null where there is none.
  const std::string* Find(std::string_view name) const;
  std::string_view Get(std::string_view name) const;  // Empty where there is none.
  int Count(std::string_view name) const;

  const std::vector<Header>& all() const { return all_; }

 private:
  std::vector<Header> all_;
};

/// Whether two ASCII texts are the same but for case.
bool SameWord(std::string_view a, std::string_view b);

struct Request {
  std::string method;  // "GET"; as it was sent.
  std::string target;  // "/v1/evaluations?limit=3"; as it was sent.
  Headers headers;
  std::string body;       // Decoded from its content coding.
  std::string peer;       // "127.0.0.1:40312".
  bool has_body = false;  // Known before the body is read.

  // What the site found out, on the way to the handler:
  std::string path;                          // Decoded.
  std::map<std::string, std::string> query;  // Decoded; of several of a name the last.
  std::map<std::string, std::string> in_path;
  Json json;                                      // The body, where the route takes JSON; it fits the route's schema.
  const Route* route = nullptr;                   // That it is for.
  const Principal* principal = nullptr;           // Who asks.
  std::size_t body_limit = std::size_t{1} << 20;  // Bytes, before and after decoding.

  Hangup* hangup = nullptr;  // Tells when nobody waits for the answer any more. Null in tests without a connection.

  /// A query parameter, which its schema has checked; `otherwise` where it was not given.
  std::string QueryText(const std::string& name, std::string otherwise = "") const;
  std::int64_t QueryInt(const std::string& name, std::int64_t otherwise) const;
  double QueryDouble(const std::string& name, double otherwise) const;
};

struct Response {
  int status = 200;
  std::string content_type = "application/json";
  std::vector<Header> headers = {};
  std::string body = {};

  /// Where set, the body is what this writes, for as long as it likes; `body` is then not used.
  std::function<Awaitable<void>(Stream&)> stream = {};
};

Response JsonResponse(const Json& json, int status = 200);
Response JsonTextResponse(std::string json, int status = 200);  // Of JSON that is text already.

/// The words of a status: "Not Found".
std::string_view StatusText(int status);

/// Where a streamed body is written to.
class Stream {
 public:
  virtual ~Stream() = default;

  /// False once the client is gone, or reads too slowly: the stream is over.
  virtual Awaitable<bool> Send(std::string text) = 0;
};

/// Tells a handler that waits when waiting is of no use: the client has closed its side, or the server stops.
class Hangup {
 public:
  virtual ~Hangup() = default;

  virtual bool raised() const = 0;

  /// `call` is called at most once, on the server's executor; never after Forget() or once the request was answered.
  virtual void Notify(std::function<void()> call) = 0;
  virtual void Forget() = 0;
};

}  // namespace kgym::http
