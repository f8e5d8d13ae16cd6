// Reports of crashes: text files that stay on this machine. Nothing is ever sent. And what such a report says besides
// signal and stack.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace lanescope::base {

inline constexpr std::size_t kCrashReports = 10;

/// The folder "crashes" in state_folder().
std::filesystem::path crash_folder();
/// From now on a crash writes a report. Not if LANESCOPE_CRASH_REPORTS is "off", or where this is not possible.
void begin_crash_reports(std::string_view command);
/// The newest report that has not been offered yet. All of them then count as offered, and only the newest
/// kCrashReports are kept.
std::optional<std::filesystem::path> take_new_crash_report(const std::filesystem::path& folder);

// --- crash notes -----------------------------------------------------------------------------------------------------
// What a crash report says besides signal and stack. It lies in fixed memory, because a report is written when the
// program can no longer be trusted: without allocating, without locks.

enum class CrashFact : std::uint8_t { Command, Build, System, Graphics, Gpu, Error };
inline constexpr std::size_t kCrashFacts = 6;
std::string_view crash_fact_name(CrashFact fact);  ///< "graphics"

/// Replaces what the fact says. Line breaks become spaces, and what is too long is cut.
void note_crash_fact(CrashFact fact, std::string_view text);
/// Empty: unknown.
std::string_view crash_fact(CrashFact fact);

// --- crash -----------------------------------------------------------------------------------------------------------
// What a crashing program can still do: write a report of itself.

/// Names of reports: crash-20261126-110203-4711.new.txt; without ".new" once the report has been offered.
inline constexpr std::string_view kCrashReportBegin = "crash-", kCrashReportEnd = ".txt",
                                  kNewCrashReportEnd = ".new.txt";

/// From now on, a fatal signal or std::terminate writes a report into `folder`, which is made only then; the program
/// then ends by the same signal as without. False: a browser or a sanitizer reports crashes itself.
bool install_crash_handler(const std::string& folder);

}  // namespace lanescope::base
