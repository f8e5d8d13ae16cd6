// What a crashing program can still do: write a report of itself.
#pragma once

#include <string>
#include <string_view>

namespace lanescope::base {

/// Names of reports: crash-20261126-110203-4711.new.txt; without ".new" once the report has been offered.
inline constexpr std::string_view kCrashReportBegin = "crash-", kCrashReportEnd = ".txt",
                                  kNewCrashReportEnd = ".new.txt";

/// From now on, a fatal signal or std::terminate writes a report into `folder`, which is made only then; the program
/// then ends by the same signal as without. False: a browser or a sanitizer reports crashes itself.
bool install_crash_handler(const std::string& folder);

}  // namespace lanescope::base
