// TLS over a connected socket, for a connection to Redis: OpenSSL between memory and `send`, so that a peer that is
// gone raises no signal.
//
// Threads: one at a time.
#pragma once

#include <openssl/ssl.h>

#include <memory>
#include <string>
#include <string_view>

#include "service/queue/redis_options.h"

namespace kgym::service {

class RedisTls {
 public:
  /// Shakes hands. The certificate must be of the address's host and signed by `address.ca`, or by who the machine
  /// trusts; an error says what is wrong with it. The socket stays the caller's.
  static Result<std::unique_ptr<RedisTls>> Open(int socket, const RedisAddress& address);

  Status Send(std::string_view bytes);

  /// Some bytes, at least one.
  Result<std::string> Receive();

 private:
  struct Free {
    void operator()(SSL_CTX* context) const { SSL_CTX_free(context); }
    void operator()(SSL* tls) const { SSL_free(tls); }
  };
  RedisTls(int socket, std::unique_ptr<SSL_CTX, Free> context, std::unique_ptr<SSL, Free> tls)
      : socket_(socket), context_(std::move(context)), tls_(std::move(tls)) {}

  Status Flush();
  Status Fill();
  Status Continue(int result);
  Error Fault(std::string_view what) const;

  int socket_;
  std::unique_ptr<SSL_CTX, Free> context_;
  std::unique_ptr<SSL, Free> tls_;
};

}  // namespace kgym::service
