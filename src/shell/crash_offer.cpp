#include "shell/crash_offer.h"

#include <filesystem>
#include <system_error>

#include "base/child_process.h"
#include "base/crash_reports.h"
#include "base/translate.h"
#include "shell/shell_state.h"

namespace lanescope::ui {

using base::tr;

void open_crash_reports(ShellState& state) {
  state.crash_report.clear();
  const std::string folder = base::crash_folder().string();
  pid_t child = 0;
  if (base::start_child({"xdg-open", folder}, {}, child) != 0) {
    state.show_toast(tr("no program here opens folders (xdg-open); the reports are in {}", folder));
  }
}

std::string no_crash_reports(const ShellState&) {
  std::error_code error;
  return std::filesystem::exists(base::crash_folder(), error) ? "" : tr("there are no reports of crashes");
}

}  // namespace lanescope::ui
