#include "apps/kgym/progress.h"

#include <sys/ioctl.h>
#include <unistd.h>

#include <cstdio>
#include <string>

#include "apps/kgym/table.h"
#include "base/text.h"

namespace kgym::app {
namespace {

void Write(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stderr); }

std::size_t TerminalWidth() {
  winsize size{};
  return ::ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col : 80;
}

}  // namespace

Progress::Progress(int total) : total_(total), terminal_(IsTerminal(STDERR_FILENO)) {}

void Progress::Over(std::string_view line) {
  Write("\r\x1b[K" + CutToWidth(Printable(line), TerminalWidth() - 1));
  shown_ = true;
}

void Progress::Stage(std::string_view what) {
  if (!terminal_) return;
  Over(total_ > 0 ? Concat("[", done_, "/", total_, "] ", what) : std::string(what));
}

void Progress::Step(std::string_view what) {
  const std::string line = Concat("[", ++done_, "/", total_, "] ", what);
  if (terminal_) return Over(line);
  Write(Printable(line) + "\n");
}

void Progress::Say(std::string_view line) {
  Clear();
  Write(std::string(line) + "\n");
}

void Progress::Clear() {
  if (shown_) Write("\r\x1b[K");
  shown_ = false;
}

}  // namespace kgym::app
