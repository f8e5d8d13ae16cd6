#include <string>
#include <vector>

#include "base/error.h"
#include "base/platform/child_process.h"
#include "base/platform/desktop.h"
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

// --- file dialog -----------------------------------------------------------------------------------------------------

namespace {

// Empty over SSH, where the user sits elsewhere. On KDE kdialog comes first.
std::filesystem::path dialog_program() {
  if (!environment("SSH_CONNECTION").empty() || !environment("SSH_TTY").empty()) return {};
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return {};
  const bool kde = environment("XDG_CURRENT_DESKTOP").find("KDE") != std::string::npos;
  const std::filesystem::path first = find_program(kde ? "kdialog" : "zenity");
  return first.empty() ? find_program(kde ? "zenity" : "kdialog") : first;
}

// No shell reads the words, and no name can be taken for an option.
std::vector<std::string> dialog_command(const std::filesystem::path& program, const FileQuestion& question) {
  std::string patterns;
  for (const std::string& ending : question.endings) patterns += (patterns.empty() ? "*" : " *") + ending;
  std::string start = std::filesystem::absolute(question.start).string();
  if (!question.save && !start.ends_with('/')) start += '/';
  if (program.filename() == "kdialog") {
    return {program.string(),
            "--title",
            question.title,
            question.save ? "--getsavefilename" : "--getopenfilename",
            start,
            question.kind + " (" + patterns + ")"};
  }
  std::vector<std::string> command{program.string(),
                                   "--file-selection",
                                   "--title=" + question.title,
                                   "--filename=" + start,
                                   "--file-filter=" + question.kind + " | " + patterns,
                                   "--file-filter=* | *"};
  if (question.save) command.insert(command.begin() + 2, {"--save", "--confirm-overwrite"});
  return command;
}

}  // namespace

bool has_file_dialog() { return !dialog_program().empty(); }

FileAnswer ask_with_file_dialog(const FileQuestion& question, const std::function<bool()>& enough) {
  ProgramRun run = run_program(dialog_command(dialog_program(), question), {.enough = enough});
  FileAnswer answer;
  // Both programs end with 0 after a choice and with 1 after Cancel.
  answer.failed = run.error != 0 || run.killed || (run.status != 0 && run.status != 1);
  constexpr std::size_t kMostSaid = 64 * 1024;
  if (run.out.ends_with('\n')) run.out.pop_back();
  if (run.well() && run.out.size() < kMostSaid && run.out.starts_with('/')) answer.path = run.out;
  return answer;
}

}  // namespace lanescope::base
