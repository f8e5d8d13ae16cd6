#include "base/platform/child_process.h"
#include "base/platform/file_dialog.h"
#include "base/platform/paths.h"

namespace lanescope::base {
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
