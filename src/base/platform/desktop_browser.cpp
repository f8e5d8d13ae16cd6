#include <string>

#include "base/error.h"
#include "base/platform/desktop.h"
#include "base/platform/page_browser.h"
#include "base/translate.h"

namespace lanescope::base {

// The program then makes it a file, which is downloaded.
void copy_png(std::span<const std::uint8_t>) {
  throw FileError(tr("in the browser, pictures are downloaded instead of copied"));
}

// --- file dialog -----------------------------------------------------------------------------------------------------

bool has_file_dialog() { return true; }

// The browser asks where a download goes. Files to open come when they come, like those that are dropped.
FileAnswer ask_with_file_dialog(const FileQuestion& question, const std::function<bool()>&) {
  if (question.save) return {.path = std::filesystem::path(browser::kDownloads) / question.start.filename()};
  std::string endings;
  for (const std::string& ending : question.endings) {
    // A page can name only what follows the last dot.
    endings += (endings.empty() ? "" : ",") + ending.substr(ending.rfind('.'));
  }
  browser::ask_for_files(endings);
  return {};
}

}  // namespace lanescope::base
