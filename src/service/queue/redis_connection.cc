#include "service/queue/redis_connection.h"

#include <sys/socket.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/text.h"

namespace kgym::service {
namespace {

// Also of a handshake, which who does not speak TLS never answers.
constexpr timeval kConnectTime = {.tv_sec = 5, .tv_usec = 0};

timeval ToTimeval(Duration duration) {
  const auto us = std::chrono::duration_cast<std::chrono::microseconds>(duration).count();
  return {.tv_sec = us / 1'000'000, .tv_usec = us % 1'000'000};
}

std::string Advice(std::string_view text) {
  if (text.starts_with("OOM")) return "; nothing was stored. Raise maxmemory, or keep ended tasks for a shorter time";
  if (text.starts_with("MISCONF")) return "; nothing was stored. Make room on the disk of Redis";
  if (text.starts_with("WRONGPASS") || text.starts_with("NOAUTH")) return "; see the user and password of the address";
  if (text.starts_with("READONLY")) return "; this is a replica, name the primary";
  return "";
}

}  // namespace

std::string RedisReply::Text() const {
  if (reply_->type == REDIS_REPLY_INTEGER) return std::to_string(reply_->integer);
  return reply_->str == nullptr ? std::string() : std::string(reply_->str, reply_->len);
}

std::int64_t RedisReply::Int() const {
  if (reply_->type == REDIS_REPLY_INTEGER) return reply_->integer;
  return std::strtoll(Text().c_str(), nullptr, 10);
}

Status RedisConnection::Open(Duration silence) {
  Close();
  std::unique_ptr<redisContext, Free> context(
      redisConnectWithTimeout(address_.host.c_str(), address_.port, kConnectTime));
  if (context == nullptr) return Error{Concat(address_.Text(), ": no memory for a connection")};
  if (context->err != 0) return Error{Concat(address_.Text(), ": ", context->errstr)};
  redisSetTimeout(context.get(), kConnectTime);
  redisEnableKeepAlive(context.get());
  {
    const std::lock_guard lock(mutex_);
    if (interrupted_) return Error{Concat(address_.Text(), ": closed")};
    context_ = std::move(context);
  }
  if (address_.tls) {
    Result<std::unique_ptr<RedisTls>> tls = RedisTls::Open(context_->fd, address_);
    if (!tls.ok()) return Broken(tls.error().message);
    tls_ = *std::move(tls);
  }
  redisSetTimeout(context_.get(), ToTimeval(silence));
  if (!address_.password.empty()) {
    RedisCommand login = {"AUTH"};
    if (!address_.user.empty()) login.push_back(address_.user);
    login.push_back(address_.password);
    KGYM_TRY_VOID(Ask(login));
  }
  if (address_.database != 0) KGYM_TRY_VOID(Ask({"SELECT", std::to_string(address_.database)}));
  KGYM_TRY_VOID(Ask({"PING"}));
  return Ok();
}

void RedisConnection::Close() {
  const std::lock_guard lock(mutex_);
  tls_.reset();
  context_.reset();
  unsent_.clear();
}

void RedisConnection::Send(const RedisCommand& command) {
  if (!open()) return;  // Receive tells.
  std::vector<const char*> words;
  std::vector<std::size_t> sizes;
  for (const std::string& word : command) {
    words.push_back(word.data());
    sizes.push_back(word.size());
  }
  char* text = nullptr;
  const int size = redisFormatCommandArgv(&text, static_cast<int>(words.size()), words.data(), sizes.data());
  KGYM_CHECK_GT(size, 0);
  unsent_.append(text, static_cast<std::size_t>(size));
  redisFreeCommand(text);
}

// Not hiredis's own way, which raises SIGPIPE where the other end is gone.
Status RedisConnection::Flush() {
  if (tls_ != nullptr && !unsent_.empty()) {
    const Status sent = tls_->Send(unsent_);
    unsent_.clear();
    return sent.ok() ? Ok() : Status(Broken(sent.error().message));
  }
  std::size_t sent = 0;
  while (sent < unsent_.size()) {
    const ssize_t size = send(context_->fd, unsent_.data() + sent, unsent_.size() - sent, MSG_NOSIGNAL);
    if (size < 0 && errno == EINTR) continue;
    if (size < 0) return Broken(std::strerror(errno));
    sent += static_cast<std::size_t>(size);
  }
  unsent_.clear();
  return Ok();
}

Result<void*> RedisConnection::NextReply() {
  void* raw = nullptr;
  if (tls_ == nullptr) {
    if (redisGetReply(context_.get(), &raw) != REDIS_OK) return Broken(context_->errstr);
    return raw;
  }
  for (redisReader* reader = context_->reader;;) {
    if (redisReaderGetReply(reader, &raw) != REDIS_OK) return Broken(reader->errstr);
    if (raw != nullptr) return raw;
    const Result<std::string> bytes = tls_->Receive();
    if (!bytes.ok()) return Broken(bytes.error().message);
    redisReaderFeed(reader, bytes->data(), bytes->size());
  }
}

Result<RedisAnswer> RedisConnection::ReceiveAny() {
  if (!open()) return Error{Concat(address_.Text(), ": the connection is lost")};
  KGYM_TRY_VOID(Flush());
  KGYM_TRY(void* const raw, NextReply());
  RedisAnswer answer(static_cast<redisReply*>(raw));
  const RedisReply reply(answer.get());
  if (reply.is_error() && reply.Text().starts_with("LOADING"))
    return Broken(reply.Text());  // It will serve after that.
  return answer;
}

Result<RedisAnswer> RedisConnection::Receive() {
  KGYM_TRY(RedisAnswer answer, ReceiveAny());
  const RedisReply reply(answer.get());
  if (reply.is_error()) return Refusal(reply.Text());
  return answer;
}

Error RedisConnection::Refusal(const std::string& text) const {
  return Error{Concat(address_.Text(), ": ", text, Advice(text))};
}

Result<RedisAnswer> RedisConnection::Ask(const RedisCommand& command) {
  Send(command);
  return Receive();
}

void RedisConnection::Interrupt() {
  const std::lock_guard lock(mutex_);
  interrupted_ = true;
  if (context_ != nullptr) shutdown(context_->fd, SHUT_RDWR);
}

Error RedisConnection::Broken(const std::string& why) {
  Error error{Concat(address_.Text(), ": ", why)};
  Close();
  return error;
}

}  // namespace kgym::service
