// What a crash report says besides signal and stack. It lies in fixed memory, because a report is written when the
// program can no longer be trusted: without allocating, without locks.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace lanescope::base {

enum class CrashFact : std::uint8_t { Command, Build, System, Graphics, Gpu, Error };
inline constexpr std::size_t kCrashFacts = 6;
std::string_view crash_fact_name(CrashFact fact);  ///< "graphics"

/// Replaces what the fact says. Line breaks become spaces, and what is too long is cut.
void note_crash_fact(CrashFact fact, std::string_view text);
/// Empty: unknown.
std::string_view crash_fact(CrashFact fact);

}  // namespace lanescope::base
