// Text for people: composing, cutting, comparing names, sizes. Durations are formatted in duration.h.
//
// Text is UTF-8. What a submission wrote may be any bytes: pass it through ToUtf8 before it goes into a message.
//
// Threads: any.
#pragma once

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/duration.h"

namespace kgym {

namespace internal {

/// One argument of Concat as text.
class Piece {
 public:
  Piece(std::string_view text) : text_(text) {}
  Piece(const std::string& text) : text_(text) {}
  Piece(const char* text) : text_(text) {}
  Piece(char character) : own_(1, character), text_(own_) {}
  Piece(bool value) : text_(value ? "true" : "false") {}
  template <std::integral T>
  Piece(T value) : own_(std::to_string(value)), text_(own_) {}
  Piece(double value);
  Piece(const Piece&) = delete;
  Piece& operator=(const Piece&) = delete;

  std::string_view text() const { return text_; }

 private:
  std::string own_;
  std::string_view text_;
};

std::string ConcatPieces(std::initializer_list<std::string_view> pieces);

}  // namespace internal

/// Concat("lane ", 3, ": ", 0.5, " s"). A double is written with up to 6 significant digits.
template <class... Parts>
std::string Concat(const Parts&... parts) {
  return internal::ConcatPieces({internal::Piece(parts).text()...});
}

std::string Join(std::span<const std::string> parts, std::string_view separator);

/// Every part between separators, empty ones too; an empty text has no parts.
std::vector<std::string> Split(std::string_view text, char separator);

/// Without the white space around it.
std::string_view Trim(std::string_view text);

/// How many insertions, deletions, substitutions and swaps of neighbours lie between two texts, in bytes.
std::size_t EditDistance(std::string_view a, std::string_view b);

/// The candidate that `name` is most likely a misspelling of; none where nothing is near.
std::optional<std::string> Nearest(std::string_view name, std::span<const std::string> candidates);

/// " (did you mean 'x'?)", or nothing: the end of a message about an unknown name.
std::string DidYouMean(std::string_view name, std::span<const std::string> candidates);

/// "512 B", "3.1 GiB".
std::string FormatBytes(std::uint64_t bytes);

bool IsUtf8(std::string_view text);

/// The text with U+FFFD in place of what is not UTF-8.
std::string ToUtf8(std::string_view bytes);

/// The longest start of at most `limit` bytes that does not cut a character.
std::string_view TruncateUtf8(std::string_view text, std::size_t limit);

}  // namespace kgym
