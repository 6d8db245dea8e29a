#include "apps/kgym/console.h"

#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace kgym::app {
namespace {

std::string_view CodeOf(Colour colour) {
  switch (colour) {
    case Colour::kPlain:
      return "";
    case Colour::kBold:
      return "\x1b[1m";
    case Colour::kDim:
      return "\x1b[2m";
    case Colour::kGreen:
      return "\x1b[32m";
    case Colour::kRed:
      return "\x1b[31m";
    case Colour::kMagenta:
      return "\x1b[35m";
    case Colour::kYellow:
      return "\x1b[33m";
  }
  return "";
}

}  // namespace

bool IsTerminal(int fd) { return ::isatty(fd) == 1; }

bool ColourWanted(int fd) {
  const char* refused = std::getenv("NO_COLOR");
  const char* terminal = std::getenv("TERM");
  const bool dumb = terminal == nullptr || std::string_view(terminal) == "dumb";
  return IsTerminal(fd) && !dumb && (refused == nullptr || *refused == '\0');
}

std::string Paint(std::string_view text, Colour colour, bool on) {
  if (!on || colour == Colour::kPlain) return std::string(text);
  return Concat(CodeOf(colour), text, "\x1b[0m");
}

Colour ColourOf(std::string_view outcome) {
  if (outcome == "ok") return Colour::kGreen;
  if (outcome.starts_with("fail:")) return Colour::kRed;
  return outcome.starts_with("rejected:") ? Colour::kMagenta : Colour::kYellow;
}

void Print(std::string_view text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
  std::fflush(stdout);
}

void PrintJson(const Json& json) { Print(DumpJson(json) + "\n"); }

void Complain(std::string_view message, bool json) {
  if (IsTerminal(STDERR_FILENO)) std::fputs("\r\x1b[K", stderr);  // Progress may stand there.
  const std::string line =
      Concat(Paint("kgym:", Colour::kBold, ColourWanted(STDERR_FILENO)), " ", ToUtf8(message), "\n");
  std::fwrite(line.data(), 1, line.size(), stderr);
  if (json) PrintJson({{"error", ToUtf8(message)}});
}

}  // namespace kgym::app
