// Who may ask for what: bearer tokens (RFC 6750) with scopes, and how often each may ask.
//
// Tokens are kept as SHA-256 and looked up by it, so a comparison tells nothing of a token. Without any token everybody
// may do everything: the server then listens on loopback only, and refuses what a web page of another origin sends.
//
// Threads: the server's executor.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "base/clock.h"
#include "service/http/refusal.h"
#include "service/http/token_bucket.h"

namespace kgym::http {

enum class Scope { kNone, kRead, kSubmit, kWork, kAdmin };

std::string_view Name(Scope scope);

/// Who asks. `name` is what its work is accounted to.
struct Principal {
  std::string name;
  bool read = false, submit = false, admin = false, work = false;

  bool May(Scope scope) const;
};

struct TokenSpec {
  std::string token;
  Principal principal;
  double per_second = 0;  // Requests; 0 for no limit.
  double burst = 0;       // 0: twice a second's worth.
};

class Access {
 public:
  /// `clock` must outlive it.
  explicit Access(const Clock& clock) : clock_(clock) {}

  void Add(TokenSpec spec);

  /// No token is asked for.
  void Open();
  bool open() const { return open_; }

  /// The principal of a request that needs `scope`, or why it may not.
  std::variant<const Principal*, Refusal> Check(const Request& request, Scope scope);

 private:
  struct Holder {
    Principal principal;
    std::optional<TokenBucket> bucket;
  };
  std::optional<Refusal> Foreign(const Request& request) const;

  const Clock& clock_;
  std::map<std::string, std::unique_ptr<Holder>> by_hash_;
  Principal everybody_{"local", true, true, true};
  bool open_ = false;
};

/// A JSON list of {name, token, scopes: [submit, read, work, admin], per_second, burst}. An error names the file and
/// the entry.
Result<std::vector<TokenSpec>> ReadTokens(const std::filesystem::path& file);

}  // namespace kgym::http
