// kgym top: what a server does, drawn again whenever it says that something has changed.
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>

#include "apps/kgym/commands.h"
#include "apps/kgym/console.h"
#include "apps/kgym/overview_text.h"
#include "apps/kgym/remote.h"
#include "apps/kgym/table.h"
#include "base/text.h"

namespace kgym::app {
namespace {

constexpr std::size_t kRowsOnce = 10;  // Of each table, where nobody's screen says how many fit.

/// A screen of its own for as long as it lives; what stood on the terminal comes back behind it.
class Screen {
 public:
  Screen() { Print("\x1b[?1049h\x1b[?25l"); }
  ~Screen() { Print("\x1b[?25h\x1b[?1049l"); }
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  /// In place of what was drawn before; lines and columns beyond the screen are left out.
  void Draw(const std::string& text) {
    const winsize size = Size();
    std::string out = "\x1b[H\x1b[?7l";  // Long lines are cut at the edge, not wrapped.
    std::vector<std::string> lines = Split(text, '\n');
    lines.resize(std::min<std::size_t>(lines.size(), size.ws_row - 1U));
    for (const std::string& line : lines) out += line + "\x1b[K\r\n";
    Print(out + "\x1b[J\x1b[?7h");
  }

  /// Of each of three tables.
  static std::size_t Rows() { return std::max(3, (Size().ws_row - 12) / 3); }

 private:
  static winsize Size() {
    winsize size{};
    const bool known = ::ioctl(STDOUT_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_row > 1;
    if (!known) size.ws_row = 24;
    return size;
  }
};

Awaitable<int> ShowOnce(Remote& remote, const TopOptions& options) {
  const Answer answer = co_await remote.Get("/v1/overview");
  if (!answer.ok()) co_return Complain(answer.fault, options.json), answer.code;
  if (options.json) co_return PrintJson(answer.json), kFine;
  co_return Print(OverviewText(answer.json, remote.url(), kRowsOnce, ColourWanted(STDOUT_FILENO))), kFine;
}

/// Until the server is gone for longer than the patience, or somebody interrupts. A plain question before each stream
/// says what is wrong, and waits for a server that comes back.
Awaitable<Answer> Draw(Remote& remote, Screen& screen) {
  const bool colour = ColourWanted(STDOUT_FILENO);
  bool drawn = false;
  const std::function<void(const Json&)> draw = [&](const Json& overview) {
    drawn = true;
    screen.Draw(OverviewText(overview, remote.url(), Screen::Rows(), colour));
  };
  while (true) {
    Answer answer = co_await remote.Get("/v1/overview");
    if (!answer.ok()) co_return answer;
    drawn = false;
    const Status ended = co_await remote.Follow("/v1/events", draw);
    const std::string why = ended.ok() ? "the stream of events ended" : ended.error().message;
    if (!drawn) co_return Answer{0, nullptr, why + "; `kgym top --once` needs no stream", kOurFault};
    screen.Draw(why + "; asking again\n");
  }
}

Awaitable<int> ShowLive(Remote& remote) {
  const Answer first = co_await remote.Get("/v1/overview");
  if (!first.ok()) co_return Complain(first.fault, false), first.code;
  Answer failed;
  {
    Screen screen;
    remote.TellWaits([&screen](std::string_view why) { screen.Draw(std::string(why) + "\n"); });
    failed = co_await Draw(remote, screen);
    remote.TellWaits([](std::string_view) {});
  }
  Complain(failed.fault, false);
  co_return failed.code;
}

}  // namespace

int Run(const TopOptions& options) {
  const bool live = !options.once && !options.json && IsTerminal(STDOUT_FILENO);
  return WithRemote(options.remote, options.json,
                    [&](Remote& remote) { return live ? ShowLive(remote) : ShowOnce(remote, options); });
}

}  // namespace kgym::app
