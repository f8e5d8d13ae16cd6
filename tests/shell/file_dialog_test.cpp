// Choosing a file: what typing a path means, a dialog of the desktop, recent files.
#include "shell/file_dialog.h"

#include <gmock/gmock.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>
#include <thread>

#include "io/scratch.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;

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
  FileDialogTest() {
    write("b.json", "12345");
    write("A.json.gz", "123");
    write("notes.txt");
    write(".hidden.json");
    for (const char* name : {"runs", "runs-old", ".git"}) std::filesystem::create_directory(file(name));
    write("runs/inside.json");
  }
  void write(const std::string& name, const std::string& text = "x") { std::ofstream(file(name)) << text; }
  PathField& open(bool save = false) {
    field_.question.save = save;
    field_.question.endings = {".json", ".json.gz"};
    field_.folder = folder_;
    field_.type("");
    return field_;
  }
  /// A program that behaves like zenity, and writes down its words.
  void program(const std::string& script) {
    write("zenity", "#!/bin/sh\nPATH=/usr/bin:/bin\nprintf '%s\\n' \"$@\" > " + file("words").string() + "\n" + script);
    ::chmod(file("zenity").c_str(), 0700);
  }
  /// Asks, and waits for the answer.
  void ask(const FileQuestion& question, FilePurpose purpose = FilePurpose::OpenTrace) {
    ask_for_file(state_, purpose, question);
    while (state_.files.asking.busy()) {
      follow_files(state_);
      std::this_thread::yield();
    }
  }

  const FileQuestion question_{false, "Open", folder_, {".json"}, "Traces"};
  PathField field_;
  ShellState state_;
  const Variable path_{"PATH", folder_.string()}, display_{"DISPLAY", ":1"}, ssh_{"SSH_CONNECTION", ""},
      tty_{"SSH_TTY", ""}, desktop_{"XDG_CURRENT_DESKTOP", ""};
};

TEST_F(FileDialogTest, TypingListsWhatThePathMayGoOnWith) {
  PathField& field = open();
  EXPECT_THAT(field.found, ElementsAre("A.json.gz", "b.json", "runs-old/", "runs/"))
      << "without what is hidden or of another kind";
  field.type("r");
  EXPECT_THAT(field.found, ElementsAre("runs-old/", "runs/"));
  field.complete_typed();
  EXPECT_EQ(field.typed, "runs") << "as far as both names agree";
  field.type("runs/");
  EXPECT_THAT(field.found, ElementsAre("inside.json"));
  field.complete_typed();
  EXPECT_EQ(field.typed, "runs/inside.json");
  field.confirm();
  EXPECT_EQ(field.chosen, file("runs/inside.json"));
  field.type(".");
  EXPECT_THAT(field.found, ElementsAre(".git/", ".hidden.json"));
  field.type("nowhere/");
  EXPECT_THAT(field.found, IsEmpty());
  const Variable home("HOME", folder_.string());
  field.type("~/b");
  EXPECT_THAT(field.found, ElementsAre("b.json"));
  EXPECT_EQ(typed_path("/x", "~/b"), file("b"));
  EXPECT_EQ(typed_path("/x", "a/../b"), "/x/b");
}

TEST_F(FileDialogTest, NamesAreCompletedByWholeLetters) {
  write("é1.json");
  write("è1.json");  // the first byte is the same
  PathField& field = open();
  field.type("");
  std::erase_if(field.found, [](const std::string& name) { return !name.ends_with("1.json"); });
  ASSERT_EQ(field.found.size(), 2u);
  field.complete_typed();
  EXPECT_EQ(field.typed, "");
}

TEST_F(FileDialogTest, AChosenRowIsEnteredOrTaken) {
  PathField& field = open();
  field.selected = 3;
  field.confirm();
  EXPECT_EQ(field.typed, "runs/");
  EXPECT_FALSE(field.chosen);
  field.take(0);
  EXPECT_EQ(field.chosen, file("runs/inside.json"));
}

TEST_F(FileDialogTest, WhatCannotBeReadIsNamedAndTheFieldStays) {
  PathField& field = open();
  const auto problem = [&](const std::string& typed) {
    field.type(typed);
    field.confirm();
    EXPECT_FALSE(field.chosen) << typed;
    return field.problem;
  };
  EXPECT_THAT(problem("gone.json"), HasSubstr("gone.json: cannot read: No such file"));
  EXPECT_THAT(problem("runs"), HasSubstr("runs is a folder"));
  write("empty.json", "");
  EXPECT_THAT(problem("empty.json"), HasSubstr("empty"));
  field.type("b");
  EXPECT_EQ(field.problem, "");
}

TEST_F(FileDialogTest, AFileIsReplacedOnlyWhenAskedTwice) {
  PathField& field = open(true);
  field.type("b");
  field.confirm();
  EXPECT_FALSE(field.chosen);
  EXPECT_EQ(field.replaces, file("b.json")) << "with its ending";
  EXPECT_THAT(field.problem, HasSubstr("b.json exists already"));
  field.type("c");
  EXPECT_TRUE(field.replaces.empty()) << "another name: the question is void";
  field.type("b");
  field.confirm();
  field.confirm();
  EXPECT_EQ(field.chosen, file("b.json"));
  field.chosen.reset();
  field.type("runs");
  field.confirm();
  EXPECT_THAT(field.problem, HasSubstr("runs is a folder"));
  field.type("nowhere/x.json");
  field.confirm();
  EXPECT_THAT(field.problem, HasSubstr("there is no such folder"));
  EXPECT_FALSE(field.chosen);
}

TEST_F(FileDialogTest, TheDesktopsDialogGetsAListOfWords) {
  program("exit 1\n");
  ask({true, "Save; rm -rf $HOME", "/tmp/-x `id`.json", {".json", ".json.gz"}, "Traces"});
  EXPECT_EQ(io::read_bytes(file("words")),
            "--file-selection\n--save\n--confirm-overwrite\n--title=Save; rm -rf $HOME\n--filename=/tmp/-x `id`.json\n"
            "--file-filter=Traces | *.json *.json.gz\n--file-filter=* | *\n");
  EXPECT_FALSE(state_.overlays.open) << "the user closed it";
  std::filesystem::rename(file("zenity"), file("kdialog"));
  ask({false, "Open", "/tmp", {".json"}, "Traces"});
  EXPECT_EQ(io::read_bytes(file("words")), "--title\nOpen\n--getopenfilename\n/tmp/\nTraces (*.json)\n");
}

TEST_F(FileDialogTest, TheWindowGoesOnWhileTheDesktopsDialogIsOpen) {
  program("while [ ! -e " + file("go").string() + " ]; do sleep 0.01; done; echo " + file("b.json").string() + "\n");
  ask_for_file(state_, FilePurpose::OpenTrace, question_);
  follow_files(state_);
  EXPECT_TRUE(state_.files.asking.busy());
  ask_for_file(state_, FilePurpose::OpenTrace, question_);
  EXPECT_THAT(state_.toast->text, HasSubstr("open already"));
  close_topmost(state_);
  EXPECT_FALSE(state_.files.asking.busy());
  write("go");
  ask(question_);
  EXPECT_THAT(state_.requests.files, ElementsAre(file("b.json")));
}

// Where the desktop has none, over SSH, or where it fails, and for a name that it has not asked about.
TEST_F(FileDialogTest, TheFieldIsForWhatTheDesktopCannotAsk) {
  state_.model.show_nothing();
  const auto opens = [&] {
    ask(question_);
    const bool open = state_.overlays.open == Overlay::Files;
    close_topmost(state_);
    return open;
  };
  EXPECT_TRUE(opens()) << "no program";
  program("exit 1\n");
  EXPECT_FALSE(opens());
  {
    const Variable relative("PATH", ".");
    EXPECT_TRUE(opens()) << "nothing from the current folder";
    const Variable ssh("SSH_CONNECTION", "10.0.0.1 22");
    EXPECT_TRUE(opens());
  }
  program("exit 255\n");
  EXPECT_TRUE(opens());
  program("echo " + file("b").string() + "\n");
  ask({true, "Save", file("x.json"), {".json"}, "Traces"}, FilePurpose::SaveTrace);
  EXPECT_EQ(state_.overlays.open, Overlay::Files);
  EXPECT_EQ(state_.files.field.replaces, file("b.json"));
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
  state_.model.show_nothing();
  state_.preferences = preferences;
  const std::vector<PaletteEntry> entries = palette_entries(state_);
  const auto found = found_entries("open", entries);
  EXPECT_EQ(entries[found.at(0)].id, "action.open");
  const auto named = found_entries("open 5.json", entries);
  EXPECT_EQ(entries[named.at(0)].text, "open 5.json");
  entries[named.at(0)].act(state_);
  EXPECT_THAT(state_.requests.files, ElementsAre(file("5.json")));
}

}  // namespace
}  // namespace lanescope::ui
