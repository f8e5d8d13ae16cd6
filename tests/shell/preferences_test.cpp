#include "shell/preferences.h"

#include <GLFW/glfw3.h>
#include <gmock/gmock.h>
#include <spdlog/sinks/ostream_sink.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <optional>
#include <sstream>

#include "io/scratch.h"

namespace lanescope::ui {
namespace {

/// Sets or removes a variable of the environment, and puts it back.
class PreferenceVariable {
 public:
  PreferenceVariable(const char* name, const std::optional<std::string>& value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    put(value);
  }
  ~PreferenceVariable() { put(before_); }
  PreferenceVariable(const PreferenceVariable&) = delete;
  PreferenceVariable& operator=(const PreferenceVariable&) = delete;

 private:
  void put(const std::optional<std::string>& value) {
    if (value) {
      setenv(name_, value->c_str(), 1);
    } else {
      unsetenv(name_);
    }
  }
  const char* name_;
  std::optional<std::string> before_;
};

class PreferencesTest : public io::Scratch {
 protected:
  Preferences loaded(const std::string& text) { return load_preferences(write("settings.toml", text)); }
};

TEST_F(PreferencesTest, LieWhereXdgSays) {
  const PreferenceVariable home("HOME", "/home/somebody");
  {
    const PreferenceVariable config("XDG_CONFIG_HOME", "/else/where");
    EXPECT_EQ(preferences_path(), "/else/where/lanescope/settings.toml");
  }
  {
    const PreferenceVariable config("XDG_CONFIG_HOME", std::nullopt);
    EXPECT_EQ(preferences_path(), "/home/somebody/.config/lanescope/settings.toml");
  }
  {
    const PreferenceVariable config("XDG_CONFIG_HOME", "");
    EXPECT_EQ(preferences_path(), "/home/somebody/.config/lanescope/settings.toml");
  }
  {
    const PreferenceVariable config("XDG_CONFIG_HOME", "relative");  // the specification has these ignored
    EXPECT_EQ(preferences_path(), "/home/somebody/.config/lanescope/settings.toml");
  }
}

TEST_F(PreferencesTest, APathInOnesOwnFolderIsShort) {
  const PreferenceVariable home("HOME", "/home/somebody");
  EXPECT_EQ(short_path("/home/somebody/Pictures/a.png"), "~/Pictures/a.png");
  EXPECT_EQ(short_path("/home/somebody"), "~");
  EXPECT_EQ(short_path("/home/somebodyelse/a.png"), "/home/somebodyelse/a.png");
  EXPECT_EQ(short_path("/mnt/a.png"), "/mnt/a.png");
}

TEST_F(PreferencesTest, WithoutAFileAreTheDefaults) {
  EXPECT_EQ(load_preferences(file("settings.toml")), Preferences{});
  EXPECT_EQ(load_preferences(folder_), Preferences{});  // a folder where the file should be
}

TEST_F(PreferencesTest, ComeBackAsTheyWere) {
  Preferences p;
  p.language = base::Language::Chinese;
  p.theme = ThemeName::HighContrast;
  p.animation = false;
  p.timeline_share = 0.5f;
  p.code_view = true;
  p.recent = {"action.fit", "knob.pinned=true"};
  p.colour_by = ColourBy::Duration;
  p.colour_traces_by = ColourBy::Stream;
  p.recent_files = {"/a folder/é.json", "/b.json.gz"};
  p.attached = {{"python 'my train.py'", "/a folder", "A=1\nB=x y", "all"}};
  p.moved_sources = {{"/theirs/src", "/mine/src"}};
  p.trigger = {TriggerSource::LongWait, "item()", 2'000'000, 500'000};
  p.bindings.set(Action::PauseRun, {{GLFW_KEY_F9, 0}});
  p.bindings.set(Action::Fit, {{GLFW_KEY_F9, GLFW_MOD_CONTROL | GLFW_MOD_ALT}, {GLFW_KEY_PAGE_UP, GLFW_MOD_SHIFT}});
  p.bindings.set(Action::Quit, {});
  p.font_scale = 1.25f;
  p.tour_done = true;
  p.window_width = 1234;
  p.window_height = 777;
  p.memory_gb = 0.5;
  p.picture_folder = "/a folder/with \"quotes\" and é";
  const std::filesystem::path path = file("deep") / "er" / "settings.toml";  // the folders are made
  save_preferences(path, p);
  EXPECT_EQ(load_preferences(path), p);
  save_preferences(path, Preferences{});
  EXPECT_EQ(load_preferences(path), Preferences{});
}

TEST_F(PreferencesTest, ABrokenFileIsAsGoodAsNone) {
  EXPECT_EQ(loaded("theme = \"light\nfont_scale = "), Preferences{});
  EXPECT_EQ(loaded(std::string("\0\xff\xfe garbage", 12)), Preferences{});
  EXPECT_EQ(loaded(""), Preferences{});
}

TEST_F(PreferencesTest, ABrokenFileIsKeptAsideAndNamed) {
  std::string broken;
  const std::filesystem::path path = write("settings.toml", "[keys]\npause = \"F9\ntheme = 1");
  EXPECT_EQ(load_preferences(path, &broken), Preferences{});
  EXPECT_THAT(broken, testing::AllOf(testing::HasSubstr(path.string()), testing::HasSubstr("settings.broken.toml")));
  EXPECT_FALSE(std::filesystem::exists(path));
  EXPECT_EQ(io::read_bytes(file("settings.broken.toml")), "[keys]\npause = \"F9\ntheme = 1");
  save_preferences(path, Preferences{});  // as at the end of the program

  write("settings.toml", "theme = ");
  load_preferences(path, &broken);
  EXPECT_THAT(broken, testing::HasSubstr("settings.broken-2.toml"));
  EXPECT_EQ(io::read_bytes(file("settings.broken.toml")), "[keys]\npause = \"F9\ntheme = 1");
  EXPECT_EQ(io::read_bytes(file("settings.broken-2.toml")), "theme = ");

  broken.clear();
  write("settings.toml", "theme = \"light\"\nunknown = 1\n");  // a mistake, but not of syntax
  load_preferences(path, &broken);
  EXPECT_EQ(broken, "");
  EXPECT_TRUE(std::filesystem::exists(path));
}

// What the first version wrote.
TEST_F(PreferencesTest, OfAnOlderVersionAreRead) {
  const Preferences p = loaded(
      "font_scale = 1.2000000476837158\npicture_folder = \"/pictures\"\ntheme = \"light\"\ntour_done = true\n"
      "window_height = 900\nwindow_width = 1500\n");
  Preferences expected;
  expected.font_scale = 1.2f;
  expected.picture_folder = "/pictures";
  expected.theme = ThemeName::Light;
  expected.tour_done = true;
  expected.window_width = 1500;
  expected.window_height = 900;
  EXPECT_EQ(p, expected);
}

TEST_F(PreferencesTest, WhatIsMissingOrOfTheWrongKindIsTheDefault) {
  const Preferences p =
      loaded("theme = 5\nfont_scale = \"big\"\ntour_done = \"yes\"\nwindow_width = []\nunknown = 1\n");
  EXPECT_EQ(p, Preferences{});
  EXPECT_EQ(loaded("theme = \"light\"\n").theme, ThemeName::Light);
  EXPECT_EQ(loaded("theme = \"purple\"\n").theme, ThemeName::Dark);
}

TEST_F(PreferencesTest, MemoryIsTakenAsFarAsItIsAllowed) {
  EXPECT_EQ(loaded("memory_gb = 2\n").memory_gb, 2);
  EXPECT_EQ(loaded("memory_gb = 1e-9\n").memory_gb, kLeastMemoryGb);
  EXPECT_EQ(loaded("memory_gb = inf\n").memory_gb, kMostMemoryGb);
  for (const char* none : {"memory_gb = -3\n", "memory_gb = nan\n", "memory_gb = \"much\"\n"})
    EXPECT_EQ(loaded(none).memory_gb, kAutomaticMemory) << none;
}

TEST_F(PreferencesTest, ATriggerIsTakenAsFarAsItIsAllowed) {
  const TriggerSettings t =
      loaded("[trigger]\non = \"never\"\nname = \"a\"\nwait_over_ns = -1\nhold_off_ns = 1e3\n").trigger;
  EXPECT_EQ(t.source, TriggerSource::Iteration);
  EXPECT_EQ(t.name, "a");
  EXPECT_EQ(t.wait_over_ns, 1);
  EXPECT_EQ(loaded("[trigger]\non = \"name\"\n").trigger.source, TriggerSource::Name);
}

// Each wrong thing is named with the file, the key and what is allowed; the rest is taken.
TEST_F(PreferencesTest, WrongKeysAreNamedAndTheRestIsTaken) {
  std::ostringstream log;
  const auto before = spdlog::default_logger();
  spdlog::set_default_logger(
      std::make_shared<spdlog::logger>("test", std::make_shared<spdlog::sinks::ostream_sink_mt>(log)));
  const Preferences p = loaded(R"(theme = "pink"
timeline_share = 7
[keys]
pause = "F9"
fit = ["Ctrl+Alt+J", "Hyper+J"]
no-such-action = "F8"
restart = 5
quit = []
slower = "F9"
)");
  spdlog::set_default_logger(before);
  EXPECT_EQ(p.theme, ThemeName::Dark);
  EXPECT_FLOAT_EQ(p.timeline_share, 0.95f);
  EXPECT_EQ(p.bindings.keys(Action::PauseRun), (std::vector<KeyChord>{{GLFW_KEY_F9, 0}}));
  EXPECT_EQ(p.bindings.keys(Action::Fit), (std::vector<KeyChord>{{GLFW_KEY_J, GLFW_MOD_CONTROL | GLFW_MOD_ALT}}));
  EXPECT_TRUE(p.bindings.keys(Action::Quit).empty());
  EXPECT_FALSE(p.bindings.own(Action::RestartRun));
  const std::string said = log.str();
  using testing::HasSubstr;
  EXPECT_THAT(said, HasSubstr("settings.toml: theme: unknown theme 'pink' (allowed: dark, light, high-contrast)"));
  EXPECT_THAT(said, HasSubstr("settings.toml: [keys] fit: no such key 'Hyper+J' (allowed: A to Z, "));
  EXPECT_THAT(said, HasSubstr("[keys] no-such-action: no such action (allowed: pause, restart, "));
  EXPECT_THAT(said, HasSubstr("[keys] restart: not a key (allowed: "));
  EXPECT_THAT(said, HasSubstr("[keys] slower: F9 is the key of pause already"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 5);
}

TEST_F(PreferencesTest, ImpossibleSizesAreMadePossible) {
  EXPECT_FLOAT_EQ(loaded("font_scale = 0.01\n").font_scale, 0.7f);
  EXPECT_FLOAT_EQ(loaded("font_scale = 99\n").font_scale, 2.5f);
  EXPECT_FLOAT_EQ(loaded("font_scale = inf\n").font_scale, 2.5f);
  EXPECT_FLOAT_EQ(loaded("font_scale = nan\n").font_scale, 1.0f);
  EXPECT_EQ(loaded("window_width = -5\nwindow_height = 1\n").window_width, 640);
  EXPECT_EQ(loaded("window_height = 1\n").window_height, 480);
  EXPECT_LE(loaded("window_width = 99999999999999\n").window_width, 16384);
}

// Nothing is thrown and nothing is left behind where it cannot be written.
TEST_F(PreferencesTest, AFolderThatCannotBeWrittenIsNotTheEnd) {
  const std::filesystem::path blocked = write("blocked", "a file where a folder should be");
  EXPECT_NO_THROW(save_preferences(blocked / "settings.toml", Preferences{}));
  EXPECT_EQ(io::read_bytes(blocked), "a file where a folder should be");
  EXPECT_NO_THROW(save_preferences("/proc/lanescope/settings.toml", Preferences{}));
  EXPECT_EQ(files_in_folder(), 1u);
}

TEST_F(PreferencesTest, PicturesGoWhereAPersonLooksForThem) {
  const PreferenceVariable home("HOME", folder_.string());
  const PreferenceVariable pictures("XDG_PICTURES_DIR", std::nullopt);
  Preferences p;
  EXPECT_EQ(picture_folder(p), folder_);
  std::filesystem::create_directory(file("Pictures"));
  EXPECT_EQ(picture_folder(p), file("Pictures"));
  {
    const PreferenceVariable chosen("XDG_PICTURES_DIR", "/my/pictures");
    EXPECT_EQ(picture_folder(p), "/my/pictures");
  }
  p.picture_folder = "/mine";
  EXPECT_EQ(picture_folder(p), "/mine");
}

}  // namespace
}  // namespace lanescope::ui
