// Server-sent events (WHATWG HTML, section 9.2), as text.
//
// Threads: any.
#pragma once

#include <string>
#include <string_view>

namespace kgym::service {

inline constexpr const char* kEventStream = "text/event-stream";

/// "event: name", "data: {...}" and an empty line. JSON in one line needs no further care.
inline std::string EventText(std::string_view name, std::string_view json) {
  std::string text = "event: ";
  text.append(name).append("\ndata: ").append(json).append("\n\n");
  return text;
}

/// Keeps a connection, and whatever stands between, from being taken for dead.
inline constexpr std::string_view kHeartbeat = ":\n\n";

}  // namespace kgym::service
