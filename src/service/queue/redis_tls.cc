#include "service/queue/redis_tls.h"

#include <openssl/err.h>
#include <openssl/x509v3.h>
#include <sys/socket.h>

#include <array>
#include <cerrno>

#include "base/text.h"

namespace kgym::service {
namespace {

constexpr std::size_t kReadAtOnce = 16 << 10;

std::string LastError() {
  const unsigned long code = ERR_get_error();
  ERR_clear_error();
  const char* text = code == 0 ? nullptr : ERR_reason_error_string(code);
  return text == nullptr ? "no reason is known" : text;
}

Status Trust(SSL_CTX* context, const RedisAddress& address) {
  const bool read = address.ca.empty() ? SSL_CTX_set_default_verify_paths(context) == 1
                                       : SSL_CTX_load_verify_locations(context, address.ca.c_str(), nullptr) == 1;
  if (!read) return Error{Concat("redis address: ca '", address.ca, "': ", LastError(), "; a PEM file is expected")};
  SSL_CTX_set_verify(context, SSL_VERIFY_PEER, nullptr);
  SSL_CTX_set_min_proto_version(context, TLS1_2_VERSION);
  return Ok();
}

/// Whose certificate it must be.
void Expect(SSL* tls, const std::string& host) {
  if (X509_VERIFY_PARAM_set1_ip_asc(SSL_get0_param(tls), host.c_str()) == 1) return;
  ERR_clear_error();  // It is a name.
  SSL_set1_host(tls, host.c_str());
  SSL_set_tlsext_host_name(tls, host.c_str());
}

}  // namespace

Result<std::unique_ptr<RedisTls>> RedisTls::Open(int socket, const RedisAddress& address) {
  std::unique_ptr<SSL_CTX, Free> context(SSL_CTX_new(TLS_client_method()));
  if (context == nullptr) return Error{"TLS: " + LastError()};
  KGYM_TRY_VOID(Trust(context.get(), address));
  std::unique_ptr<SSL, Free> tls(SSL_new(context.get()));
  if (tls == nullptr) return Error{"TLS: " + LastError()};
  SSL_set_bio(tls.get(), BIO_new(BIO_s_mem()), BIO_new(BIO_s_mem()));
  Expect(tls.get(), address.host);
  std::unique_ptr<RedisTls> open(new RedisTls(socket, std::move(context), std::move(tls)));
  for (int result = 0; result != 1;) {
    result = SSL_connect(open->tls_.get());
    if (result != 1) KGYM_TRY_VOID(open->Continue(result));
  }
  KGYM_TRY_VOID(open->Flush());
  return open;
}

Status RedisTls::Send(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t taken = 0;
    const int result = SSL_write_ex(tls_.get(), bytes.data(), bytes.size(), &taken);
    if (result != 1) KGYM_TRY_VOID(Continue(result));
    bytes.remove_prefix(taken);
  }
  return Flush();
}

Result<std::string> RedisTls::Receive() {
  std::string bytes(kReadAtOnce, '\0');
  for (;;) {
    std::size_t size = 0;
    const int result = SSL_read_ex(tls_.get(), bytes.data(), bytes.size(), &size);
    if (result == 1) {
      bytes.resize(size);
      return bytes;
    }
    KGYM_TRY_VOID(Continue(result));
  }
}

/// What OpenSSL needs before the call may be made again.
Status RedisTls::Continue(int result) {
  const int why = SSL_get_error(tls_.get(), result);
  if (why == SSL_ERROR_ZERO_RETURN) return Error{"TLS: the server closed the connection"};
  const Error fault = Fault("TLS");
  KGYM_TRY_VOID(Flush());  // An alert, too, is sent.
  if (why == SSL_ERROR_WANT_READ) return Fill();
  return why == SSL_ERROR_WANT_WRITE ? Ok() : Status(fault);
}

Status RedisTls::Flush() {
  char* data = nullptr;
  const long size = BIO_get_mem_data(SSL_get_wbio(tls_.get()), &data);
  for (std::string_view left(data, static_cast<std::size_t>(size)); !left.empty();) {
    const ssize_t sent = ::send(socket_, left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0 && errno == EINTR) continue;
    if (sent < 0) return SystemError("TLS");
    left.remove_prefix(static_cast<std::size_t>(sent));
  }
  BIO_reset(SSL_get_wbio(tls_.get()));
  return Ok();
}

Status RedisTls::Fill() {
  std::array<char, kReadAtOnce> bytes;
  ssize_t size = 0;
  do {
    size = ::recv(socket_, bytes.data(), bytes.size(), 0);
  } while (size < 0 && errno == EINTR);
  if (size < 0) return SystemError("TLS");
  if (size == 0) return Error{"TLS: the server closed the connection; does it speak TLS on this port?"};
  BIO_write(SSL_get_rbio(tls_.get()), bytes.data(), static_cast<int>(size));
  return Ok();
}

Error RedisTls::Fault(std::string_view what) const {
  const long verified = SSL_get_verify_result(tls_.get());
  if (verified != X509_V_OK) {
    ERR_clear_error();
    return Error{Concat(what, ": the server's certificate is not accepted: ", X509_verify_cert_error_string(verified),
                        "; name who signed it with ?ca=FILE, and the host as the certificate does")};
  }
  return Error{Concat(what, ": ", LastError())};
}

}  // namespace kgym::service
