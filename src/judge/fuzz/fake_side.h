// The other side of a FakeHost: what a host's process and its supervisor would read and write, with no process at all.
//
// Threads: the target's.
#pragma once

#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

#include "base/json.h"
#include "judge/claims.h"
#include "judge/fake_host.h"

namespace kgym::judge::fuzz {

/// The next packet that was sent to `socket`, if one is there.
inline std::optional<std::string> TakePacket(const Fd& socket) {
  if (!socket.valid()) return std::nullopt;
  const ssize_t length = ::recv(socket.get(), nullptr, 0, MSG_DONTWAIT | MSG_PEEK | MSG_TRUNC);
  if (length <= 0) return std::nullopt;
  std::string bytes(static_cast<std::size_t>(length), '\0');
  if (::recv(socket.get(), bytes.data(), bytes.size(), MSG_DONTWAIT) != length) return std::nullopt;
  return bytes;
}

/// Sends a packet with `copies` descriptors beside it. What does not fit is lost, as it is for a host.
inline void PutPacket(const Fd& socket, std::string_view bytes, std::size_t copies = 0) {
  if (!socket.valid()) return;
  iovec part{const_cast<char*>(bytes.data()), bytes.size()};
  constexpr std::size_t kMost = 253;  // The kernel's own limit.
  alignas(cmsghdr) char control[CMSG_SPACE(kMost * sizeof(int))] = {};
  msghdr header{};
  header.msg_iov = &part;
  header.msg_iovlen = 1;
  copies = std::min(copies, kMost);
  if (copies > 0) {
    header.msg_control = control;
    header.msg_controllen = CMSG_SPACE(copies * sizeof(int));
    cmsghdr* c = CMSG_FIRSTHDR(&header);
    c->cmsg_level = SOL_SOCKET;
    c->cmsg_type = SCM_RIGHTS;
    c->cmsg_len = CMSG_LEN(copies * sizeof(int));
    for (std::size_t i = 0; i < copies; ++i) reinterpret_cast<int*>(CMSG_DATA(c))[i] = STDERR_FILENO;
  }
  if (::sendmsg(socket.get(), &header, MSG_NOSIGNAL | MSG_DONTWAIT) < 0) return;
}

/// The nonce that the answer to `question` must repeat.
inline std::string NonceOf(std::string_view question) { return ClaimedText(ParseJson(question).value(), "nonce"); }

/// The lowest free descriptor: the same before and after where nothing leaks.
inline int LowestFree() {
  const int free = ::dup(STDERR_FILENO);
  ::close(free);
  return free;
}

}  // namespace kgym::judge::fuzz
