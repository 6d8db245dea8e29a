// One end of a private SOCK_SEQPACKET socket: whole packets, with descriptors beside them.
//
// Sending never waits: a host answers one question at a time, so its socket has room; a full or closed socket is an
// error. Receiving waits on the executor. What a packet says is the other side's claim: nothing here believes it.
//
// Threads: all calls on the channel's executor.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "base/async.h"
#include "base/clock.h"
#include "base/fd.h"
#include "base/result.h"

namespace kgym::judge {

inline constexpr std::size_t kMaxPacket = 192 * 1024;

struct Packet {
  std::string bytes;
  std::vector<Fd> fds;
  bool cut = false;  // It was longer than a packet may be, or had more descriptors beside it.
};

class Channel {
 public:
  Channel(const Executor& executor, Fd socket);

  Status Send(std::string_view bytes, const std::vector<int>& fds = {});

  /// The next packet if one is there already. An empty `bytes` means that the other side is gone.
  Result<Packet> TryReceive();

  boost::asio::posix::stream_descriptor& descriptor() { return descriptor_; }

 private:
  boost::asio::posix::stream_descriptor descriptor_;
};

/// Waits until the channel can be read; false when the deadline passed.
Awaitable<bool> WaitReadable(Channel& channel, Instant deadline);

/// Waits until one of two can be read. 0 or 1, or -1 when the deadline passed.
Awaitable<int> WaitEither(Channel& first, Channel& second, Instant deadline);

/// A connected pair: [0] for the judge (non-blocking), [1] for the other side.
Result<std::pair<Fd, Fd>> MakeChannelPair();

}  // namespace kgym::judge
