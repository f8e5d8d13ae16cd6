#include <string>
#include <vector>

#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/platform/clipboard.h"
#include "base/platform/paths.h"
#include "base/translate.h"

namespace lanescope::base {

// Who copies must serve every paste, so each of these programs goes on in the background once it has read the picture.
void copy_png(std::span<const std::uint8_t> bytes) {
  const bool wayland = !environment("WAYLAND_DISPLAY").empty(), x11 = !environment("DISPLAY").empty();
  if (!wayland && !x11) throw FileError(tr("no clipboard: there is no display"));
  std::vector<std::string> command;
  if (wayland) command = {find_program("wl-copy").string(), "--type", "image/png"};
  // A desktop of Wayland shares its clipboard with X11, if it has that.
  if (x11 && (!wayland || command.front().empty())) {
    command = {find_program("xclip").string(), "-selection", "clipboard", "-t", "image/png"};
  }
  if (command.front().empty()) {
    throw FileError(tr("no clipboard for pictures: install the package {}", wayland ? "wl-clipboard" : "xclip"));
  }
  const ProgramRun run = run_program(command, {.in = {reinterpret_cast<const char*>(bytes.data()), bytes.size()}});
  if (run.well()) return;
  throw FileError(
      tr("no clipboard: {}: {}", command.front(), run.error != 0 ? system_error_text(run.error) : tr("it failed")));
}

}  // namespace lanescope::base
