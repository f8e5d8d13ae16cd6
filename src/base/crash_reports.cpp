#include "base/crash_reports.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <string>
#include <system_error>
#include <vector>

#include "base/crash_notes.h"
#include "base/platform/crash.h"
#include "base/settings_folder.h"

namespace lanescope::base {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kVariable = "LANESCOPE_CRASH_REPORTS";

}  // namespace

fs::path crash_folder() { return state_folder() / "crashes"; }

void begin_crash_reports(std::string_view command) {
  const char* chosen = std::getenv(kVariable.data());
  if (chosen != nullptr && std::string_view(chosen) == "off") return;
  note_crash_fact(CrashFact::Command, command);
  install_crash_handler(crash_folder().string());
}

std::optional<fs::path> take_new_crash_report(const fs::path& folder) {
  std::error_code error;
  std::vector<fs::path> reports;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kCrashReportBegin) && name.ends_with(kCrashReportEnd)) reports.push_back(it->path());
  }
  // Their names begin with the time.
  std::ranges::sort(reports, std::ranges::greater{});
  std::optional<fs::path> newest;
  for (std::size_t i = 0; i < reports.size(); ++i) {
    if (i >= kCrashReports) {
      fs::remove(reports[i], error);
      continue;
    }
    std::string name = reports[i].string();
    if (!name.ends_with(kNewCrashReportEnd)) continue;
    name.replace(name.size() - kNewCrashReportEnd.size(), kNewCrashReportEnd.size(), kCrashReportEnd);
    fs::rename(reports[i], name, error);
    if (!newest) newest = error ? reports[i] : fs::path(name);
  }
  return newest;
}

}  // namespace lanescope::base
