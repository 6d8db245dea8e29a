#include "service/http/hangup.h"

#include <sys/socket.h>

#include <utility>

namespace kgym::http {

void SocketHangup::Notify(std::function<void()> call) {
  call_ = std::move(call);
  if (raised_) {
    if (const auto now = std::exchange(call_, nullptr)) now();
    return;
  }
  if (!std::exchange(watching_, true)) Watch();
}

void SocketHangup::Watch() {
  socket_->async_wait(boost::asio::ip::tcp::socket::wait_read,
                      [self = shared_from_this()](const boost::system::error_code& code) {
                        if (!code && self->socket_ != nullptr) self->Look();
                      });
}

void SocketHangup::Look() {
  char byte = 0;
  const auto seen = ::recv(socket_->native_handle(), &byte, 1, MSG_PEEK | MSG_DONTWAIT);
  if (seen == 0 || (seen < 0 && errno != EAGAIN && errno != EINTR)) return Raise();
  if (seen < 0) Watch();
}

void SocketHangup::Raise() {
  raised_ = true;
  if (const auto now = std::exchange(call_, nullptr)) now();
}

void SocketHangup::Retire() {
  socket_ = nullptr;
  call_ = nullptr;
}

}  // namespace kgym::http
