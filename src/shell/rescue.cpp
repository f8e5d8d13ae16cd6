#include "shell/rescue.h"

#include <system_error>

#include "base/error.h"
#include "base/platform/page.h"
#include "base/translate.h"
#include "base/user_folders.h"
#include "io/trace_file.h"
#include "model/timeline/marks_json.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;
namespace fs = std::filesystem;

constexpr base::OfferedFiles kRescued{"run-", ".lanescope", ".new.lanescope", 3};

}  // namespace

fs::path rescue_folder() { return base::state_folder() / "rescued"; }

std::string rescue_run(const ShellState& state, const std::string& why) {
  const Source& source = state.model.source();
  if (state.model.nothing() || source.opened() != nullptr) return why;  // what was opened is a file already
  if (!base::kInPage && state.model.simulated()) {                      // a page is loaded again without its settings
    return tr("{}; the run is simulated: its seed and settings make it again", why);
  }
  if (const auto file = source.file()) return tr("{}; the run is in {}", why, file->string());
  io::RunFacts facts = state.model.facts();
  facts.marks = marks_to_json(state.marks);
  std::optional<trace::CaptureHealth> health;
  if (const CaptureMonitor* monitor = source.capture_monitor()) health = monitor->health();
  try {
    std::error_code ignored;  // what is wrong with the folder is said of the file
    fs::create_directories(rescue_folder(), ignored);
    fs::permissions(rescue_folder(), fs::perms::owner_all, ignored);
    const fs::path path = rescue_folder() / base::new_name(kRescued);
    io::write_trace(path, source.trace(), facts, health ? &*health : nullptr);
    if (base::kInPage) return tr("{}; the run was saved", why);  // its path says nothing to anybody there
    return tr("{}; the run was saved, and the next start offers it: {}", why, path.string());
  } catch (const std::exception& error) {
    return tr("{}; the run is lost: {}", why, error.what());
  }
}

std::optional<fs::path> take_rescued_run(const fs::path& folder) { return base::take_newest(folder, kRescued); }

}  // namespace lanescope::ui
