#include "judge/output_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/use_awaitable.hpp>

namespace kgym::judge {

void OutputLog::Add(std::string_view bytes) {
  total_ += bytes.size();
  const std::size_t room = std::min(bytes.size(), kKept - std::min(kKept, head_.size()));
  head_.append(bytes.substr(0, room));
  recent_.append(bytes.substr(room));
  if (recent_.size() > 2 * kKept) recent_.erase(0, recent_.size() - kKept);
}

std::string OutputLog::tail() const {
  return recent_.size() > kKept ? recent_.substr(recent_.size() - kKept) : recent_;
}

std::uint64_t OutputLog::dropped() const { return total_ - head_.size() - tail().size(); }

std::string OutputLog::Text() const {
  if (dropped() == 0) return head_ + tail();
  return head_ + "\n... " + std::to_string(dropped()) + " bytes left out ...\n" + tail();
}

OutputDrain::OutputDrain(const Executor& executor, Fd pipe) {
  ::fcntl(pipe.get(), F_SETFL, O_NONBLOCK);
  state_ = std::make_shared<State>(executor, std::move(pipe));
  Spawn(executor, Run(state_));
}

void OutputDrain::Close() {
  boost::system::error_code ignored;
  state_->pipe.close(ignored);
}

void OutputDrain::Catch() {
  std::array<char, 16 * 1024> buffer;
  // Bounded: a host that prints without end must not hold the judge here.
  for (int i = 0; i < 16 && state_->pipe.is_open(); ++i) {
    const ssize_t length = ::read(state_->pipe.native_handle(), buffer.data(), buffer.size());
    if (length <= 0) return;
    state_->log.Add({buffer.data(), static_cast<std::size_t>(length)});
  }
}

Awaitable<void> OutputDrain::Run(std::shared_ptr<State> state) {
  std::array<char, 16 * 1024> buffer;
  while (state->pipe.is_open()) {
    boost::system::error_code error;
    const std::size_t length = co_await state->pipe.async_read_some(
        boost::asio::buffer(buffer), boost::asio::redirect_error(boost::asio::use_awaitable, error));
    if (error) co_return;
    state->log.Add({buffer.data(), length});
  }
}

}  // namespace kgym::judge
