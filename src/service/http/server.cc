#include "service/http/server.h"

#include <boost/asio/as_tuple.hpp>
#include <boost/asio/ip/address.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <list>

#include "base/log.h"
#include "base/text.h"
#include "service/http/connection.h"
#include "service/http/signal.h"

namespace kgym::http {
namespace {

namespace asio = boost::asio;

using asio::ip::tcp;
using boost::system::error_code;

constexpr Duration kAcceptAgain = 1s;
constexpr std::size_t kTurningAway = 256;  // Connections that are being told that there are too many.

class TcpServer final : public Server {
 public:
  TcpServer(Executor executor, tcp::acceptor acceptor, Limits limits, Application& application)
      : executor_(executor),
        acceptor_(std::move(acceptor)),
        limits_(limits),
        application_(application),
        room_(executor),
        empty_(executor) {}

  std::uint16_t port() const override {
    error_code ignored;
    return acceptor_port_ != 0 ? acceptor_port_ : acceptor_.local_endpoint(ignored).port();
  }

  ServerStats stats() const override { return stats_; }

  void Start() {
    acceptor_port_ = port();
    ++tasks_;
    Spawn(executor_, Accept());
  }

  Awaitable<void> Stop(Duration patience) override {
    stopping_ = true;
    error_code ignored;
    acceptor_.close(ignored);
    for (Connection* one : std::list(connections_)) one->Drain();
    const Instant until = std::chrono::steady_clock::now() + patience;
    for (bool time_left = true; time_left && tasks_ > 0;) time_left = co_await empty_.WaitUntil(until);
    for (Connection* one : std::list(connections_)) one->Close();
    while (tasks_ > 0) co_await empty_.WaitUntil(Instant::max());
  }

 private:
  Awaitable<void> Accept() {
    while (!stopping_) {
      auto [code, socket] = co_await acceptor_.async_accept(asio::as_tuple(asio::use_awaitable));
      if (stopping_) break;
      if (code) {  // Out of descriptors, most likely: one comes free when a connection ends.
        LogWarning(Concat("a connection could not be accepted: ", code.message()));
        co_await room_.WaitUntil(std::chrono::steady_clock::now() + kAcceptAgain);
        continue;
      }
      ++stats_.accepted;
      const bool full = connections_.size() >= limits_.connections;
      if (full) ++stats_.turned_away;
      if (connections_.size() >= limits_.connections + kTurningAway) continue;
      ++tasks_;
      Spawn(executor_, Serve(std::move(socket), full));
    }
    Ended();
  }

  Awaitable<void> Serve(tcp::socket socket, bool full) {
    Connection connection(std::move(socket), limits_, application_, stats_);
    const auto place = connections_.insert(connections_.end(), &connection);
    stats_.open = connections_.size();
    if (full) {
      co_await connection.TurnAway();
    } else {
      co_await connection.Run();
    }
    connection.Close();
    connections_.erase(place);
    stats_.open = connections_.size();
    room_.Raise();
    Ended();
  }

  void Ended() {
    if (--tasks_ == 0) empty_.Raise();
  }

  Executor executor_;
  tcp::acceptor acceptor_;
  const Limits limits_;
  Application& application_;
  ServerStats stats_;
  std::list<Connection*> connections_;
  Signal room_, empty_;
  int tasks_ = 0;  // Coroutines that use this.
  std::uint16_t acceptor_port_ = 0;
  bool stopping_ = false;
};

std::string Address(const std::string& host) { return host == "localhost" ? "127.0.0.1" : host; }

}  // namespace

bool IsLoopback(const std::string& host) {
  error_code code;
  const auto address = asio::ip::make_address(Address(host), code);
  return !code && address.is_loopback();
}

Result<std::unique_ptr<Server>> Server::Listen(Executor executor, const std::string& host, std::uint16_t port,
                                               Limits limits, Application& application) {
  error_code code;
  const auto address = asio::ip::make_address(Address(host), code);
  if (code) return Error{Concat("host '", host, "'; an address such as 127.0.0.1, 0.0.0.0 or ::1 is expected")};
  const tcp::endpoint endpoint(address, port);
  tcp::acceptor acceptor(executor);
  acceptor.open(endpoint.protocol(), code);
  if (!code) acceptor.set_option(asio::socket_base::reuse_address(true), code);
  if (!code) acceptor.bind(endpoint, code);
  if (!code) acceptor.listen(asio::socket_base::max_listen_connections, code);
  if (code) return Error{Concat("cannot listen on ", host, ":", port, ": ", code.message(), "; choose another port")};
  auto server = std::make_unique<TcpServer>(executor, std::move(acceptor), limits, application);
  server->Start();
  return std::unique_ptr<Server>(std::move(server));
}

}  // namespace kgym::http
