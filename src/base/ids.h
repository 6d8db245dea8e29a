// Random identifiers, from the kernel's generator (getrandom), so never repeated by a fork and never guessable.
//
// Threads: any.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>

namespace kgym {

void FillRandom(std::span<std::byte> bytes);
std::uint64_t RandomU64();

/// `bytes` random bytes as lower-case hex: 8 bytes for a name within one run, 16 where it must never collide.
std::string RandomHex(std::size_t bytes);
std::string Hex(std::span<const std::byte> bytes);

/// 26 characters [0-9a-z]: 48 bits of milliseconds, then 80 random bits. Sorts by time as text, safe in a file name.
std::string NewEvaluationId(std::chrono::system_clock::time_point now = std::chrono::system_clock::now());

}  // namespace kgym
