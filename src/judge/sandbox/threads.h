// Runs a small function on every thread of this process.
//
// Capabilities, no_new_privs and Landlock belong to a thread, and drivers start threads before the host is confined: a
// hostile submission could have one of those act for it. So each thread is interrupted by a signal and confines itself.
//
// Threads: one caller at a time; uses the last real-time signal while it runs.
#pragma once

#include <string>

namespace kgym::judge::sandbox {

/// Runs `act` in every thread, the caller last; `act` must be safe in a signal handler and returns whether it worked.
/// False, with a sentence in `why`, where a thread failed or did not answer within two seconds (it blocks all signals).
bool OnEveryThread(bool (*act)(), std::string& why);

}  // namespace kgym::judge::sandbox
