// Content codings: gzip and zstd, of request bodies and of answers.
//
// Threads: any.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <variant>

#include "base/result.h"

namespace kgym::http {

enum class Coding { kIdentity, kGzip, kZstd };

std::string_view Name(Coding coding);  // "identity", "gzip", "zstd".

/// Of a Content-Encoding header; empty text is identity. None where we do not know it.
std::optional<Coding> ParseCoding(std::string_view header);

/// What the client likes best of what we have, by an Accept-Encoding header; identity where it names none of ours.
Coding BestCoding(std::string_view accept);

struct TooLarge {};

/// TooLarge as soon as more than `limit` bytes come out, whatever the input's size. An error where it is malformed.
Result<std::variant<std::string, TooLarge>> Decode(Coding coding, std::string_view bytes, std::size_t limit);

/// At the quickest level: answers are made while others wait.
std::string Encode(Coding coding, std::string_view bytes);

}  // namespace kgym::http
