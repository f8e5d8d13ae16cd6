// Choosing a file: the list of a folder, what typing means there, a dialog of the desktop, recent files.
#include "shell/file_dialog.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <chrono>
#include <cstdlib>
#include <fstream>
#include <thread>

#include "io/scratch.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

// Sets a variable of the environment for one test.
class Variable {
 public:
  Variable(const char* name, const std::string& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    set(value);
  }
  ~Variable() { set(before_); }
  Variable(const Variable&) = delete;
  Variable& operator=(const Variable&) = delete;

 private:
  void set(const std::string& value) { value.empty() ? ::unsetenv(name_) : ::setenv(name_, value.c_str(), 1); }
  const char* name_;
  std::string before_;
};

class FileDialogTest : public io::Scratch {
 protected:
  void write(const std::string& name, const std::string& text = "x") { std::ofstream(file(name)) << text; }
  void folder(const std::string& name) { std::filesystem::create_directory(file(name)); }
  void fill() {
    write("b.json", "12345");
    write("A.json.gz", "123");
    write("notes.txt");
    write(".hidden.json");
    folder("runs");
    folder("runs-old");
    folder(".git");
  }
  static std::vector<std::string> names(const FileDialog& dialog) {
    std::vector<std::string> shown;
    for (const std::size_t i : dialog.shown) shown.push_back(dialog.contents.entries[i].name);
    return shown;
  }
  FileDialog& open(bool save = false) {
    dialog_.question.save = save;
    dialog_.question.endings = {".json", ".json.gz"};
    dialog_.go_to(file(""));
    settle();
    return dialog_;
  }
  void settle() {
    while (dialog_.update()) std::this_thread::yield();
  }
  // A program that behaves like zenity.
  std::filesystem::path program(const std::string& script) {
    write("zenity", "#!/bin/sh\n" + script);
    ::chmod(file("zenity").c_str(), 0700);
    return file("zenity");
  }
  static SystemDialog::Answer wait_for(SystemDialog& dialog) {
    const auto deadline = std::chrono::steady_clock::now() + std::chrono::seconds(20);
    while (std::chrono::steady_clock::now() < deadline) {
      if (auto answer = dialog.poll()) return *answer;
      std::this_thread::yield();
    }
    ADD_FAILURE() << "no answer";
    return {};
  }

  FileDialog dialog_;
};

TEST_F(FileDialogTest, AFolderIsListedWithoutWhatIsHiddenOrOfAnotherKind) {
  fill();
  FileDialog& dialog = open();
  EXPECT_THAT(names(dialog), ElementsAre("runs", "runs-old", "A.json.gz", "b.json")) << "folders first";
  EXPECT_EQ(dialog.contents.entries[3].bytes, 5u);
  EXPECT_GT(dialog.contents.entries[3].changed, 0);
  dialog.sort(FileColumn::Size);
  EXPECT_THAT(names(dialog), ElementsAre("runs", "runs-old", "b.json", "A.json.gz")) << "the largest first";
  dialog.sort(FileColumn::Size);
  EXPECT_THAT(names(dialog), ElementsAre("runs-old", "runs", "A.json.gz", "b.json"));
  dialog.go_to(file("missing"));
  settle();
  EXPECT_THAT(dialog.problem, HasSubstr("missing: No such file or directory"));
}

TEST_F(FileDialogTest, TypingFiltersAndAPathGoesThere) {
  fill();
  write("runs/inside.json");
  FileDialog& dialog = open();
  dialog.type("JS");
  EXPECT_THAT(names(dialog), ElementsAre("A.json.gz", "b.json")) << "ignoring case";
  EXPECT_EQ(dialog.selected, 0u);
  dialog.type("r");
  dialog.complete_typed();
  EXPECT_EQ(dialog.typed, "runs") << "as far as both names agree";
  dialog.type("runs-");
  dialog.complete_typed();
  settle();
  EXPECT_EQ(dialog.folder, file("runs-old")) << "the only one, a folder: its slash goes there";
  dialog.type("../runs/ins");
  settle();
  EXPECT_EQ(dialog.folder, file("runs"));
  EXPECT_EQ(dialog.typed, "ins");
  EXPECT_THAT(names(dialog), ElementsAre("inside.json"));
  dialog.confirm();
  EXPECT_EQ(dialog.chosen, file("runs/inside.json")) << "Enter takes the match";
}

TEST_F(FileDialogTest, WhatCannotBeReadIsNamedAndTheDialogStays) {
  fill();
  FileDialog& dialog = open();
  dialog.type("gone.json");
  dialog.confirm();
  EXPECT_FALSE(dialog.chosen);
  EXPECT_THAT(dialog.problem, HasSubstr("gone.json"));
  write("empty.json", "");
  dialog.confirm(file("empty.json"));
  EXPECT_FALSE(dialog.chosen);
  EXPECT_THAT(dialog.problem, HasSubstr("empty"));
  dialog.confirm(file("runs"));
  EXPECT_EQ(dialog.folder, file("runs")) << "a folder is gone into";
}

TEST_F(FileDialogTest, AFileIsReplacedOnlyWhenAskedTwice) {
  fill();
  FileDialog& dialog = open(true);
  EXPECT_THAT(names(dialog), ElementsAre("runs", "runs-old", "A.json.gz", "b.json"));
  dialog.type("b");
  EXPECT_EQ(dialog.shown.size(), 4u) << "the new name hides nothing";
  dialog.confirm();
  EXPECT_FALSE(dialog.chosen);
  EXPECT_EQ(dialog.replaces, file("b.json")) << "with its ending";
  EXPECT_THAT(dialog.problem, HasSubstr("b.json exists already"));
  dialog.type("c");
  EXPECT_TRUE(dialog.replaces.empty()) << "another name: the question is void";
  dialog.type("b");
  dialog.confirm();
  dialog.confirm();
  EXPECT_EQ(dialog.chosen, file("b.json"));
  dialog.chosen.reset();
  dialog.type("nowhere/x.json");
  dialog.confirm();
  EXPECT_FALSE(dialog.chosen);
  EXPECT_THAT(dialog.problem, HasSubstr("nowhere"));
}

TEST_F(FileDialogTest, TheCommandIsAListOfWords) {
  const FileQuestion question{true, "Save; rm -rf $HOME", "/tmp/-x `id`.json", {".json", ".json.gz"}, "Traces"};
  EXPECT_THAT(
      dialog_command("/usr/bin/zenity", question),
      ElementsAre("/usr/bin/zenity", "--file-selection", "--save", "--confirm-overwrite", "--title=Save; rm -rf $HOME",
                  "--filename=/tmp/-x `id`.json", "--file-filter=Traces | *.json *.json.gz", "--file-filter=* | *"));
  FileQuestion open = question;
  open.save = false;
  open.start = "/tmp";
  EXPECT_THAT(dialog_command("/usr/bin/kdialog", open),
              ElementsAre("/usr/bin/kdialog", "--title", "Save; rm -rf $HOME", "--getopenfilename", "/tmp/",
                          "Traces (*.json *.json.gz)"));
}

TEST_F(FileDialogTest, ADialogOfTheDesktopIsAskedBesideTheDrawing) {
  SystemDialog dialog;
  // It waits until the test lets it go on, so that the answer cannot have been there at once.
  ASSERT_TRUE(dialog.start(
      {program("while [ ! -e \"$1\" ]; do sleep 0.01; done; echo '/data/a b.json'\n").string(), file("go").string()}));
  EXPECT_TRUE(dialog.running());
  EXPECT_FALSE(dialog.poll());
  write("go");
  const SystemDialog::Answer answer = wait_for(dialog);
  EXPECT_EQ(answer.path, "/data/a b.json");
  EXPECT_FALSE(answer.failed || dialog.running());
  ASSERT_TRUE(dialog.start({program("exit 1\n").string()}));
  const SystemDialog::Answer closed = wait_for(dialog);
  EXPECT_TRUE(closed.path.empty() && !closed.failed) << "the user closed it";
  ASSERT_TRUE(dialog.start({program("echo cannot open display >&2; exit 255\n").string()}));
  EXPECT_TRUE(wait_for(dialog).failed);
  ASSERT_TRUE(dialog.start({program("sleep 1000\n").string()}));
  dialog.cancel();
  EXPECT_FALSE(dialog.running());
  EXPECT_FALSE(dialog.start({file("no-such-program").string()}));
}

TEST_F(FileDialogTest, OverSshOrWithoutAProgramOurOwnIsUsed) {
  program("exit 0\n");
  const Variable path("PATH", file("").string());
  const Variable display("DISPLAY", ":1");
  const Variable tty("SSH_TTY", "");
  {
    const Variable ssh("SSH_CONNECTION", "");
    EXPECT_EQ(dialog_program(), file("zenity"));
    const Variable relative("PATH", ".");
    EXPECT_EQ(dialog_program(), "") << "nothing from the current folder";
  }
  const Variable ssh("SSH_CONNECTION", "10.0.0.1 22");
  EXPECT_EQ(dialog_program(), "");
}

// Where the desktop's dialog fails, ours opens; what it answers is opened.
TEST_F(FileDialogTest, TheShellOpensWhatWasChosen) {
  write("a.json");
  const Variable path("PATH", file("").string());
  const Variable display("DISPLAY", ":1");
  const Variable ssh("SSH_CONNECTION", "");
  const Variable tty("SSH_TTY", "");
  const FileQuestion question{false, "Open", file(""), {".json"}, "Traces"};
  ShellState state;
  state.model.show_nothing();
  const auto ask = [&] {
    ask_for_file(state, FilePurpose::OpenTrace, question);
    while (state.files.system.running()) follow_files(state);
  };
  program("echo '" + file("a.json").string() + "'\n");
  ask();
  EXPECT_THAT(state.requests.files, testing::ElementsAre(file("a.json")));
  EXPECT_FALSE(state.overlays.open);
  program("exit 255\n");
  ask();
  EXPECT_EQ(state.overlays.open, Overlay::Files);
  close_topmost(state);
  EXPECT_FALSE(state.overlays.open);
  state.preferences.system_dialogs = false;
  ask();
  EXPECT_EQ(state.overlays.open, Overlay::Files);
}

TEST_F(FileDialogTest, RecentFilesAreTheNewestTenThatExist) {
  Preferences preferences;
  for (int i = 0; i < 12; ++i) {
    write(std::to_string(i) + ".json");
    remember_file(preferences, file(std::to_string(i) + ".json"));
  }
  EXPECT_EQ(preferences.recent_files.size(), kRecentFiles);
  remember_file(preferences, file("5.json"));
  EXPECT_EQ(preferences.recent_files.front(), file("5.json").string()) << "once, at the front";
  EXPECT_EQ(preferences.recent_files.size(), kRecentFiles);
  std::filesystem::remove(file("11.json"));
  const auto recent = recent_files(preferences);
  EXPECT_EQ(recent.size(), kRecentFiles - 1);
  EXPECT_EQ(recent.front(), file("5.json"));
  ShellState state;
  state.model.show_nothing();
  state.preferences = preferences;
  const std::vector<PaletteEntry> entries = palette_entries(state);
  const auto found = found_entries("open", entries);
  EXPECT_EQ(entries[found.at(0)].id, "action.open");
  const auto named = found_entries("open 5.json", entries);
  EXPECT_EQ(entries[named.at(0)].text, "open 5.json");
  entries[named.at(0)].act(state);
  EXPECT_THAT(state.requests.files, testing::ElementsAre(file("5.json")));
}

}  // namespace
}  // namespace lanescope::ui
