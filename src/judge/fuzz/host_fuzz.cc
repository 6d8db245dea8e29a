// A host's two sockets and its pipe: packets of any bytes, with any descriptors, at any moment, and ends that close.
//
// The input is a script of lines. The first letter says what happens, the rest of the line is its bytes:
//   ?        the judge asks a question; or, with F, T or D behind it, gives its supervisor that command
//   w, c, p  bytes to the work socket, to control, to the pipe; $N stands for the last question's nonce
//   0..9     as w, with so many times 28 descriptors beside them
//   W, C, P  that end closes
#include <algorithm>
#include <boost/asio/io_context.hpp>

#include "base/check.h"
#include "judge/fuzz/fake_side.h"
#include "judge/fuzz/target.h"

namespace kgym::judge::fuzz {
namespace {

struct Stage {
  Stage() : fake(io.get_executor(), HostKind::kCandidate, nullptr) {}

  boost::asio::io_context io{1};
  FakeHost fake;
  bool busy = false;
  std::string nonce;
};

Awaitable<void> Ask(Stage& stage) {
  Json request = {{"op", "call"}};
  const Answer answer = co_await stage.fake.host->Call(std::move(request), {}, 1h);
  stage.busy = false;
  if (answer.what == Answer::What::kDone || answer.what == Answer::What::kFailed) {
    KGYM_CHECK(ClaimedText(answer.body, "nonce") == stage.nonce);
    KGYM_CHECK(ClaimedTrue(answer.body, "ok") == (answer.what == Answer::What::kDone));
  }
  KGYM_CHECK(answer.what != Answer::What::kTimeout);
  KGYM_CHECK(answer.detail.size() <= kMaxPacket);
}

Awaitable<void> Command(Stage& stage, char letter) {
  Host& host = *stage.fake.host;
  if (letter == 'F') {
    const Status ignored = co_await host.Freeze();
  } else if (letter == 'T') {
    const Status ignored = co_await host.Thaw();
  } else {
    const Result<int> daemons = co_await host.Daemons();
    KGYM_CHECK(!daemons.ok() || *daemons >= 0);
  }
  stage.busy = false;
}

void HearQuestions(Stage& stage) {
  while (const std::optional<std::string> question = TakePacket(stage.fake.process)) stage.nonce = NonceOf(*question);
  while (TakePacket(stage.fake.supervisor)) continue;
}

std::string WithNonce(std::string_view bytes, const std::string& nonce) {
  std::string packet(bytes);
  if (const std::size_t at = packet.find("$N"); at != std::string::npos) packet.replace(at, 2, nonce);
  return packet;
}

void Start(Stage& stage, std::string_view line) {
  if (stage.busy) return;  // One coroutine at a time uses a host.
  stage.busy = true;
  const bool asks = line.empty() || std::string_view("FTD").find(line[0]) == std::string_view::npos;
  Spawn(stage.io.get_executor(), asks ? Ask(stage) : Command(stage, line[0]));
}

void Act(Stage& stage, char letter, std::string_view line) {
  FakeHost& fake = stage.fake;
  switch (letter) {
    case '?':
      return Start(stage, line);
    case 'w':
      return PutPacket(fake.process, WithNonce(line, stage.nonce));
    case 'c':
      return PutPacket(fake.supervisor, line);
    case 'p':
      if (fake.printed.valid() &&
          ::write(fake.printed.get(), line.data(), std::min(line.size(), std::size_t{4096})) < 0)
        return;
      return;
    case 'W':
      return fake.process.reset();
    case 'C':
      return fake.supervisor.reset();
    case 'P':
      return fake.printed.reset();
    default:
      if (letter >= '0' && letter <= '9')
        PutPacket(fake.process, WithNonce(line, stage.nonce), static_cast<std::size_t>(letter - '0') * 28);
  }
}

void Run(std::string_view script) {
  Stage stage;
  for (int lines = 0; !script.empty() && lines < 64; ++lines) {
    const std::string_view line = TakeUntil(script, '\n');
    if (line.empty()) continue;
    Act(stage, line[0], line.substr(1));
    stage.io.poll();
    stage.io.restart();
    HearQuestions(stage);
  }
  for (Fd* end : {&stage.fake.process, &stage.fake.supervisor, &stage.fake.printed}) end->reset();
  stage.io.poll();
  KGYM_CHECK(!stage.busy) << "a host that is gone is still waited for";
  KGYM_CHECK(stage.fake.host->output().Text().size() <= 2 * OutputLog::kKept + 64);
}

}  // namespace
}  // namespace kgym::judge::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace kgym::judge::fuzz;
  const int before = LowestFree();
  Run(Bytes(data, size));
  KGYM_CHECK(LowestFree() == before) << "descriptors leak";
  return 0;
}
