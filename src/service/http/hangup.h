// The Hangup of one request on a socket. For connection.cc only.
//
// It watches only once a handler asks, and reads nothing: where the client has sent its next request already, what lies
// behind it cannot be seen, and watching ends.
//
// Threads: the server's executor.
#pragma once

#include <boost/asio/ip/tcp.hpp>
#include <functional>
#include <memory>

#include "service/http/message.h"

namespace kgym::http {

class SocketHangup final : public Hangup, public std::enable_shared_from_this<SocketHangup> {
 public:
  /// `socket` must live until Retire().
  explicit SocketHangup(boost::asio::ip::tcp::socket& socket) : socket_(&socket) {}

  bool raised() const override { return raised_; }
  void Notify(std::function<void()> call) override;
  void Forget() override { call_ = nullptr; }

  void Raise();
  void Retire();  // The request has been answered.

 private:
  void Watch();
  void Look();

  boost::asio::ip::tcp::socket* socket_;
  std::function<void()> call_;
  bool watching_ = false;
  bool raised_ = false;
};

}  // namespace kgym::http
