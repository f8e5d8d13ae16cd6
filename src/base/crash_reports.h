// Reports of crashes: text files that stay on this machine. Nothing is ever sent.
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
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

}  // namespace lanescope::base
