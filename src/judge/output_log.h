// What a host prints: the first and the last 16 KiB of its stdout and stderr, the rest counted and dropped.
//
// A pipe is drained as it fills, so that a host that prints without end costs time of its own and no memory of ours.
//
// Threads: the executor given.
#pragma once

#include <boost/asio/posix/stream_descriptor.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "base/async.h"
#include "base/fd.h"

namespace kgym::judge {

class OutputLog {
 public:
  static constexpr std::size_t kKept = 16 * 1024;

  void Add(std::string_view bytes);

  const std::string& head() const { return head_; }
  std::string tail() const;
  std::uint64_t dropped() const;  // Bytes between head and tail that were not kept.

  /// Head and tail as one text with a line between them that says how much is missing.
  std::string Text() const;

 private:
  std::string head_;
  std::string recent_;  // At most twice kKept; its end is the tail.
  std::uint64_t total_ = 0;
};

/// Drains `pipe` into a log until its end. The log may outlive the drain, and the other way round; Close() ends the
/// drain.
class OutputDrain {
 public:
  OutputDrain(const Executor& executor, Fd pipe);
  ~OutputDrain() { Close(); }

  const OutputLog& log() const { return state_->log; }
  void Close();

  /// Takes what is in the pipe now.
  void Catch();

 private:
  struct State {
    State(const Executor& executor, Fd pipe) : pipe(executor, pipe.release()) {}
    boost::asio::posix::stream_descriptor pipe;
    OutputLog log;
  };
  static Awaitable<void> Run(std::shared_ptr<State> state);

  std::shared_ptr<State> state_;
};

}  // namespace kgym::judge
