#include "base/crash_reports.h"

#include <cstdlib>

#include "base/crash_notes.h"
#include "base/offered_files.h"
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
  return take_newest(folder, {kCrashReportBegin, kCrashReportEnd, kNewCrashReportEnd, kCrashReports});
}

}  // namespace lanescope::base
