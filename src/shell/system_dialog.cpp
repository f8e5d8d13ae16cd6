#include "shell/system_dialog.h"

#include "base/platform/child_process.h"
#include "base/platform/page.h"
#include "base/platform/page_browser.h"
#include "base/platform/paths.h"

namespace lanescope::ui {

namespace fs = std::filesystem;

fs::path dialog_program() {
  if (!base::environment("SSH_CONNECTION").empty() || !base::environment("SSH_TTY").empty()) return {};
  if (base::environment("DISPLAY").empty() && base::environment("WAYLAND_DISPLAY").empty()) return {};
  const bool kde = base::environment("XDG_CURRENT_DESKTOP").find("KDE") != std::string::npos;
  const fs::path first = base::find_program(kde ? "kdialog" : "zenity");
  return first.empty() ? base::find_program(kde ? "zenity" : "kdialog") : first;
}

std::vector<std::string> dialog_command(const fs::path& program, const FileQuestion& question) {
  std::string patterns;
  for (const std::string& ending : question.endings) patterns += (patterns.empty() ? "*" : " *") + ending;
  std::string start = fs::absolute(question.start).string();
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

bool SystemDialog::start(const FileQuestion& question) {
  if (running()) return false;
  if constexpr (base::kInPage) {
    // The browser asks where a download goes. Files to open come when they come, like those that are dropped.
    Answer answer;
    if (question.save) {
      answer.path = fs::path(base::browser::kDownloads) / question.start.filename();
    } else {
      std::string endings;
      for (const std::string& ending : question.endings) {
        // A page can name only what follows the last dot.
        endings += (endings.empty() ? "" : ",") + ending.substr(ending.rfind('.'));
      }
      base::browser::ask_for_files(endings);
    }
    asking_.start([answer](const base::Stop&) { return answer; });
    return true;
  } else {
    const fs::path program = dialog_program();
    return !program.empty() && start(dialog_command(program, question));
  }
}

bool SystemDialog::start(const std::vector<std::string>& command) {
  if (running() || command.empty() || !base::is_program(command.front())) return false;
  asking_.start([command](const base::Stop& stop) {
    base::ProgramRun run = base::run_program(command, {.enough = [&stop] { return stop.load(); }});
    Answer answer;
    // Both programs end with 0 after a choice and with 1 after Cancel.
    answer.failed = run.error != 0 || run.killed || (run.status != 0 && run.status != 1);
    constexpr std::size_t kMostSaid = 64 * 1024;
    if (run.out.ends_with('\n')) run.out.pop_back();
    if (run.well() && run.out.size() < kMostSaid && run.out.starts_with('/')) answer.path = run.out;
    return answer;
  });
  return true;
}

}  // namespace lanescope::ui
