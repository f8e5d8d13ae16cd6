// What a crash report says besides signal and stack. It lies in fixed memory, because a report is written when the
// program can no longer be trusted: without allocating, without locks.
#pragma once

#include <array>
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

inline constexpr std::size_t kNotedActions = 50;

/// What the user did. `name` must live as long as the program. The same again and again is counted.
void note_action(const char* name, std::int64_t now_ns);

struct NotedAction {
  const char* name = nullptr;
  std::uint32_t times = 0;
  std::int64_t last_ns = 0;
};
/// The last ones, oldest first; returns how many there are.
std::size_t noted_actions(std::array<NotedAction, kNotedActions>& actions);

}  // namespace lanescope::base
