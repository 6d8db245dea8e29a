// Writing for a person: colours where they are wanted, complaints in one form.
//
// Colours are used on a terminal, unless NO_COLOR is set (https://no-color.org) or TERM is "dumb".
//
// Threads: main.
#pragma once

#include <string>
#include <string_view>

#include "base/json.h"

namespace kgym::app {

enum class Colour { kPlain, kBold, kDim, kGreen, kRed, kMagenta, kYellow };

bool IsTerminal(int fd);
bool ColourWanted(int fd);

/// `text` in that colour, or as it is where `on` is false.
std::string Paint(std::string_view text, Colour colour, bool on);

/// Of an outcome's text: ok green, fail red, rejected magenta, infra yellow.
Colour ColourOf(std::string_view outcome);

/// Writes to standard output, at once.
void Print(std::string_view text);
void PrintJson(const Json& json);

/// "kgym: <message>" on standard error; with `json` also {"error": message} on standard output.
void Complain(std::string_view message, bool json);

}  // namespace kgym::app
