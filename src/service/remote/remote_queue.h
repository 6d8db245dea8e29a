// The queue of a server far away, as a worker sees it: each call is a request to its `/v1/worker` routes, and Watch()
// follows a stream of changes.
//
// A call that finds no server is an Error at once, and may be made again. The end of a task that the server refuses for
// good is logged and dropped; a result that is refused so fails the attempt, which is how its submitter learns of it.
// The stream is begun anew whenever it ends, and each time says all that live.
//
// Threads: the client's executor.
#pragma once

#include "service/http/client.h"
#include "service/queue/queue.h"

namespace kgym::service {

class RemoteQueue final : public WorkQueue {
 public:
  /// `client` must outlive it and its calls.
  explicit RemoteQueue(http::Client& client) : client_(client) {}

  Awaitable<Result<std::vector<Task>>> Lease(std::string worker, std::vector<Want> wants, Duration lease) override;
  Awaitable<Result<std::vector<Hold>>> Extend(std::vector<Hold> holds, std::string stage) override;
  Awaitable<Result<Told>> Complete(Hold hold, std::string result) override;
  Awaitable<Result<Told>> HandBack(Hold hold) override;
  Awaitable<Result<Told>> Fail(Hold hold, std::string reason) override;

  Duration RetryAfter() const override { return retry_after_; }

  /// `executor` is the client's.
  std::unique_ptr<Subscription> Watch(Executor executor, std::function<void(const Changes&)> callback) override;

 private:
  Awaitable<Result<Json>> Ask(std::string path, Json body);
  Awaitable<Result<http::ClientReply>> Send(std::string path, Json body);
  Error Refused(const std::string& path, const http::ClientReply& reply) const;
  Awaitable<Result<Told>> Tell(std::string path, Hold hold, const char* field, std::string text);

  http::Client& client_;
  Duration retry_after_{};
};

}  // namespace kgym::service
