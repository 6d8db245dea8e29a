#include "judge/channel.h"

#include <sys/socket.h>

#include <boost/asio/redirect_error.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/use_awaitable.hpp>
#include <cstring>
#include <memory>

namespace kgym::judge {
namespace {

constexpr std::size_t kMaxFds = 64;

std::vector<Fd> TakeFds(msghdr& header) {
  std::vector<Fd> fds;
  for (cmsghdr* c = CMSG_FIRSTHDR(&header); c != nullptr; c = CMSG_NXTHDR(&header, c)) {
    if (c->cmsg_level != SOL_SOCKET || c->cmsg_type != SCM_RIGHTS) continue;
    const std::size_t count = (c->cmsg_len - CMSG_LEN(0)) / sizeof(int);
    for (std::size_t i = 0; i < count; ++i) {
      int fd = -1;
      std::memcpy(&fd, CMSG_DATA(c) + i * sizeof(int), sizeof fd);
      fds.emplace_back(fd);
    }
  }
  return fds;
}

/// A wait for the first of several channels. The timer is the deadline and the event at once: the first channel that
/// can be read cancels it. Shared with the handlers, since one may still be queued when the wait is over.
struct Wait {
  Wait(const Executor& executor, Instant deadline) : timer(executor, deadline) {}

  Awaitable<void> End() {
    boost::system::error_code ignored;
    co_await timer.async_wait(boost::asio::redirect_error(boost::asio::use_awaitable, ignored));
  }

  boost::asio::steady_timer timer;
  int ready = -1;
};

void Watch(const std::shared_ptr<Wait>& wait, Channel& channel, int index) {
  channel.descriptor().async_wait(boost::asio::posix::descriptor_base::wait_read,
                                  [wait, index](const boost::system::error_code& error) {
                                    if (error || wait->ready >= 0) return;
                                    wait->ready = index;
                                    wait->timer.cancel();
                                  });
}

}  // namespace

Channel::Channel(const Executor& executor, Fd socket) : descriptor_(executor, socket.release()) {}

Status Channel::Send(std::string_view bytes, const std::vector<int>& fds) {
  KGYM_CHECK(fds.size() <= kMaxFds);
  if (bytes.size() > kMaxPacket)
    return Error{"a packet of " + std::to_string(bytes.size()) + " bytes is over the limit of " +
                 std::to_string(kMaxPacket)};
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  if (!fds.empty()) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(fds.size() * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(fds.size() * sizeof(int));
    std::memcpy(CMSG_DATA(c), fds.data(), fds.size() * sizeof(int));
  }
  if (::sendmsg(descriptor_.native_handle(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0)
    return SystemError("sending to a host");
  return Ok();
}

Result<Packet> Channel::TryReceive() {
  // Room for the largest, made once: nearly all packets are small, and clearing so much for each took longer than
  // reading.
  thread_local const auto room = std::make_unique_for_overwrite<char[]>(kMaxPacket);
  Packet packet;
  iovec part{room.get(), kMaxPacket};
  alignas(cmsghdr) char control[CMSG_SPACE(kMaxFds * sizeof(int))];
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  header.msg_control = control;
  header.msg_controllen = sizeof control;
  const ssize_t length = ::recvmsg(descriptor_.native_handle(), &header, MSG_DONTWAIT | MSG_CMSG_CLOEXEC);
  if (length < 0) return SystemError("receiving from a host");
  packet.fds = TakeFds(header);
  packet.cut = (header.msg_flags & (MSG_TRUNC | MSG_CTRUNC)) != 0;
  packet.bytes.assign(room.get(), static_cast<std::size_t>(length));
  return packet;
}

Awaitable<bool> WaitReadable(Channel& channel, Instant deadline) {
  auto state = std::make_shared<Wait>(channel.descriptor().get_executor(), deadline);
  Watch(state, channel, 0);
  co_await state->End();
  channel.descriptor().cancel();
  co_return state->ready == 0;
}

Awaitable<int> WaitEither(Channel& first, Channel& second, Instant deadline) {
  auto state = std::make_shared<Wait>(first.descriptor().get_executor(), deadline);
  Watch(state, first, 0);
  Watch(state, second, 1);
  co_await state->End();
  first.descriptor().cancel();
  second.descriptor().cancel();
  co_return state->ready;
}

Result<std::pair<Fd, Fd>> MakeChannelPair() {
  int ends[2];
  if (::socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, ends) != 0) return SystemError("socketpair");
  std::pair<Fd, Fd> pair{Fd(ends[0]), Fd(ends[1])};
  // Room for a whole packet in each direction, whatever the system's default is.
  const int room = static_cast<int>(kMaxPacket) * 2;
  for (int end : ends) ::setsockopt(end, SOL_SOCKET, SO_SNDBUF, &room, sizeof room);
  return pair;
}

}  // namespace kgym::judge
