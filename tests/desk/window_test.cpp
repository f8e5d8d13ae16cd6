// The window as a whole: theme and text size, help, sizes, the first start, and rest.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <sys/stat.h>

#include <cstdlib>
#include <fstream>

#include "base/error.h"
#include "desk/desk.h"
#include "shell/preferences.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using ui::ThemeName;
using ui::TourStep;
using ui::ViewMode;

class LookTest : public DeskTest {};

TEST_F(LookTest, TextGrowsAndShrinks) {
  const float before = desk().place("knob.log_interval").height;
  desk().tap(key::Equal, kControl);
  desk().tap(key::Equal, kControl);
  EXPECT_FLOAT_EQ(state().preferences.font_scale, 1.2f);
  desk().frames(2);
  EXPECT_NEAR(state().places.at("knob.log_interval").height, before * 1.2f, 0.5f);
  desk().tap(key::Minus, kControl);
  EXPECT_NEAR(state().preferences.font_scale, 1.1f, 1e-5);
  state().preferences.font_scale = 0.75f;
  for (int i = 0; i < 3; ++i) desk().tap(key::Minus, kControl);
  EXPECT_FLOAT_EQ(state().preferences.font_scale, 0.7f);
  state().preferences.font_scale = 2.45f;
  for (int i = 0; i < 3; ++i) desk().tap(key::Equal, kControl);
  EXPECT_FLOAT_EQ(state().preferences.font_scale, 2.5f);
}

TEST_F(LookTest, QuestionMarkShowsTheKeys) {
  desk().key(key::Slash, kShift);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Help);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("close_help"); }));
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Help);
  desk().key(key::F1);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Help);
  desk().frames(3);
  desk().click("close_help");
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Help);
  desk().frames(1);
  EXPECT_FALSE(desk().has_place("close_help"));
}

// At every size of the window, and with small and large text: nothing is negative, nothing is outside.
TEST_F(LookTest, EverySizeOfTheWindowHasASaneLayout) {
  struct Size {
    int width, height;
  };
  for (const Size& size : {Size{900, 560}, Size{1920, 1180}, Size{900, 1100}, Size{1440, 960}}) {
    desk().resize(size.width, size.height);
    ASSERT_TRUE(desk().until([&] {
      const ImVec2 display = ImGui::GetIO().DisplaySize;
      return display.x == static_cast<float>(size.width) && display.y == static_cast<float>(size.height);
    }));
    for (const float text : {0.7f, 1.0f, 1.6f, 2.5f}) {
      SCOPED_TRACE(std::to_string(size.width) + " x " + std::to_string(size.height) + ", text " + std::to_string(text));
      state().preferences.font_scale = text;
      desk().frames(3);
      const auto width = static_cast<float>(size.width);
      const auto height = static_cast<float>(size.height);
      for (const auto& ground : desk().shell().grounds()) {
        EXPECT_GT(ground.area.width, 0);
        EXPECT_GT(ground.area.height, 0);
        EXPECT_GE(ground.area.x, 0);
        EXPECT_GE(ground.area.y, 0);
        EXPECT_LE(ground.area.x + ground.area.width, width + 1.5f);
        EXPECT_LE(ground.area.y + ground.area.height, height + 1.5f);
      }
      const Rect timeline = state().places.at("timeline");
      EXPECT_GE(timeline.height, 60);
      EXPECT_GT(axis().width_px(), 50);
      EXPECT_LE(axis().right_px(), timeline.x + timeline.width);
      for (const auto& [name, place] : state().places) {
        EXPECT_GE(place.width, 0) << name;
        EXPECT_GE(place.height, 0) << name;
        if (name.starts_with("plot.")) {
          EXPECT_GT(place.height, 3) << name;
          EXPECT_GE(place.y, timeline.y + timeline.height) << name;
        }
      }
      EXPECT_NEAR(state().places.at("whole_run").x, axis().left_px(), 1);
      EXPECT_LE(state().places.at("whole_run").y + state().places.at("whole_run").height, height);
    }
  }
}

// The texts of one window of ImGui's and of its children.
std::vector<DrawnText> texts_of_window(const std::string& name) {
  const ImDrawData& frame = *ImGui::GetDrawData();
  std::vector<ImDrawList*> own;
  for (int i = 0; i < frame.CmdListsCount; ++i) {
    const std::string owner = frame.CmdLists[i]->_OwnerName ? frame.CmdLists[i]->_OwnerName : "";
    if (owner == name || owner.starts_with(name + "/")) own.push_back(frame.CmdLists[i]);
  }
  ImDrawData part = frame;
#if IMGUI_VERSION_NUM >= 18980
  part.CmdLists.clear();
  for (ImDrawList* list : own) part.CmdLists.push_back(list);
#else
  part.CmdLists = own.data();
#endif
  part.CmdListsCount = static_cast<int>(own.size());
  return texts_of(part);
}

// In a window that is far too small, what an overlay says can still be read.
TEST_F(LookTest, NoTextsOfAnOverlayOverlap) {
  const auto open = [&](ui::Overlay overlay) { return [this, overlay] { ui::open_overlay(state(), overlay); }; };
  const std::pair<const char*, std::function<void()>> overlays[] = {
      {"##help", open(ui::Overlay::Help)},
      {"##health", open(ui::Overlay::Health)},
      {"##gallery", open(ui::Overlay::Gallery)},
      {"##palette", open(ui::Overlay::Palette)},
      {"##menu", open(ui::Overlay::Menu)},
      {"##go_to", open(ui::Overlay::GoTo)},
      {"##attach", open(ui::Overlay::Attach)},
      {"##picture", open(ui::Overlay::Picture)},
      {"##files", [this] { perform(state(), ui::Action::OpenTrace); }},
      {"##gallery", [this] { perform(state(), ui::Action::Lessons); }},
      {"##sweep", [this] { state().sweep.open = true; }}};
  for (const auto& [width, height] : {std::pair(690, 480), std::pair(640, 480), std::pair(480, 360)}) {
    desk().resize(width, height);
    for (const auto& [name, opens] : overlays) {
      SCOPED_TRACE(std::string(name) + ", " + std::to_string(width) + " x " + std::to_string(height));
      opens();
      desk().frames(5);
      const std::vector<DrawnText> texts = texts_of_window(name);
      EXPECT_FALSE(texts.empty());
      for (std::size_t a = 0; a < texts.size(); ++a) {
        for (std::size_t b = a + 1; b < texts.size(); ++b) {
          const auto& s = texts[a];
          const auto& t = texts[b];
          const float across = std::min(s.x + s.width, t.x + t.width) - std::max(s.x, t.x);
          const float down = std::min(s.y + s.height, t.y + t.height) - std::max(s.y, t.y);
          EXPECT_FALSE(across > 1 && down > 3) << "'" << s.text << "' and '" << t.text << "'";
        }
      }
      ui::close_overlay(state());
      state().sweep.open = false;
    }
  }
}

// As on a telephone held upright: the verdict is a band above the lanes, and the switch has a row of its own.
TEST_F(LookTest, AnUprightWindowHasTheVerdictAboveTheLanes) {
  desk().resize(900, 1100);
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().DisplaySize.y == 1100; }));
  state().preferences.font_scale = 1.6f;  // as if it were 562 wide
  desk().frames(3);
  const Rect timeline = desk().place("timeline");
  EXPECT_EQ(timeline.x, 0);
  EXPECT_EQ(timeline.width, 900);
  for (const char* name : {"badge", "pause", "knobs.more", "verdict"}) {
    const Rect control = desk().place(name);
    EXPECT_GE(control.x, 0) << name;
    EXPECT_LE(control.x + control.width, 900) << name;
    EXPECT_LE(control.y + control.height, timeline.y) << name;
  }
  desk().click("pause");
  EXPECT_TRUE(desk().until([&] { return model().paused(); }));
  desk().click("pause");
  desk().resize(1440, 960);
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().DisplaySize.y == 960; }));
}

// The rows that do not fit are reached with the wheel over the names, or by dragging.
TEST_F(LookTest, LanesThatDoNotFitCanBeScrolledTo) {
  desk().resize(900, 560);
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().DisplaySize.y == 560; }));
  state().preferences.font_scale = 1.4f;
  desk().frames(3);
  hold_still();
  const Rect timeline = desk().place("timeline");
  const auto d2h = [&] { return *state().timeline.lane_rect(model().trace(), trace::LaneKind::CopyD2H); };
  ASSERT_GT(d2h().y + d2h().height, timeline.y + timeline.height) << "it fits: nothing to scroll";
  // Each pane scrolls by itself.
  ASSERT_TRUE(state().timeline.divided());
  const ui::PanePlace gpu = state().timeline.pane(ui::Pane::Gpu);
  const ui::TimeAxis before = axis();
  desk().point_at({timeline.x + 40, (gpu.top + gpu.bottom) / 2});
  desk().wheel(-12);
  EXPECT_TRUE(desk().until([&] { return d2h().y + d2h().height <= timeline.y + timeline.height; }));
  EXPECT_EQ(axis(), before);
  EXPECT_EQ(state().scroll[0], 0);
  desk().wheel(20);
  EXPECT_TRUE(desk().until([&] { return state().scroll[1] == 0; }));
  desk().resize(1440, 960);
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().DisplaySize.y == 960; }));
}

// --- windows of their own --------------------------------------------------------------------------------------------

class StartTest : public testing::Test {
 protected:
  static ui::WindowOptions options() {
    ui::WindowOptions o;
    o.session.device = "sim:teaching";
    return o;
  }
  ui::ShellState& state() { return desk.state(); }
  TourStep tour() { return desk.state().tour; }
  void open_to_the_reward() {
    desk.open(options());
    ASSERT_TRUE(desk.until([&] {
      return state().experiment.active && state().experiment.active->measured(experiment::Side::Before) != nullptr;
    }));
    desk.key(key::Tab);
    ASSERT_TRUE(desk.until([&] { return tour() == TourStep::Reward; }));
  }

  Desk desk;
};

// One thing to press, one thing to watch, and what it gained; and never again, unless asked for.
TEST_F(StartTest, TheFirstMinuteEndsWithTheFactor) {
  desk.open(options());
  ASSERT_TRUE(desk.until([&] { return desk.has_place("tour"); }));
  EXPECT_EQ(tour(), TourStep::PressFlip);
  EXPECT_FALSE(desk.has_place("tour.next")) << "the hint waits until it was done";
  // It covers neither the lanes nor the switch.
  const ui::Rect card = desk.place("tour");
  for (const char* name : {"lane.kernels", "side.after", "factor"}) {
    if (!desk.has_place(name)) continue;
    const ui::Rect r = desk.place(name);
    EXPECT_FALSE(r.x < card.x + card.width && card.x < r.x + r.width && r.y < card.y + card.height &&
                 card.y < r.y + r.height)
        << name;
  }
  const auto measured = [&](experiment::Side side) {
    return state().experiment.active && state().experiment.active->measured(side) != nullptr;
  };
  ASSERT_TRUE(desk.until([&] { return measured(experiment::Side::Before); }));
  desk.key(key::Tab);
  ASSERT_TRUE(desk.until([&] { return tour() == TourStep::Reward && desk.has_place("tour.factor"); }));
  desk.click("tour.next");
  EXPECT_EQ(tour(), TourStep::WhatNext);
  ASSERT_TRUE(desk.until([&] { return desk.has_place("tour.done"); }));
  desk.frames(3);  // the card has taken its new size
  desk.click("tour.done");
  EXPECT_EQ(tour(), TourStep::Off);
  desk.close();
  desk.open(options());
  desk.frames(5);
  EXPECT_EQ(tour(), TourStep::Off);
  desk.act(ui::Action::FirstMinute);
  EXPECT_TRUE(desk.until([&] { return tour() == TourStep::PressFlip && desk.has_place("tour.skip"); }));
}

TEST_F(StartTest, TheHintsCanBeSkipped) {
  desk.open(options());
  desk.click("tour.skip");
  EXPECT_EQ(tour(), TourStep::Off);
  desk.close();
  EXPECT_TRUE(ui::load_preferences(desk.settings_file()).tour_done);
}

// The factor of two sides that are forgotten is not waited for.
TEST_F(StartTest, AnotherKnobEndsTheReward) {
  open_to_the_reward();
  ASSERT_EQ(tour(), TourStep::Reward);
  ASSERT_EQ(state().model.set("batch_size", std::int64_t{512}), "");
  EXPECT_TRUE(desk.until([&] { return tour() == TourStep::WhatNext && desk.has_place("tour.done"); }));
}

// "1.44x faster" is of the two sides, and no longer of what runs.
TEST_F(StartTest, TheExperimentsOwnKnobEndsTheRewardToo) {
  open_to_the_reward();
  ASSERT_EQ(tour(), TourStep::Reward);
  desk.key(key::LeftBracket);
  EXPECT_TRUE(desk.until([&] { return tour() == TourStep::WhatNext && desk.has_place("tour.done"); }));
}

TEST_F(StartTest, EscapeSkipsTheHintsToo) {
  desk.open(options());
  ASSERT_TRUE(desk.until([&] { return desk.has_place("tour.skip"); }));
  desk.act(ui::Action::CaptureHealth);
  desk.key(key::Escape);  // what is on top first
  EXPECT_EQ(tour(), TourStep::PressFlip);
  desk.key(key::Escape);
  EXPECT_EQ(tour(), TourStep::Off);
  EXPECT_TRUE(state().preferences.tour_done);
}

TEST_F(StartTest, TheLookIsRemembered) {
  desk.remember("tour_done = true\nwindow_width = 1000\nwindow_height = 700");
  desk.open(options());
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1000);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 700);
  desk.act(ui::Action::ToggleTheme);
  desk.tap(key::Equal, kControl);
  ui::TriggerSettings trigger{ui::TriggerSource::Name, "item()", 2'000'000, 0};
  state().view.set_trigger(trigger);
  desk.resize(1100, 720);
  ASSERT_TRUE(desk.until([] { return ImGui::GetIO().DisplaySize.x == 1100; }));
  desk.close();
  desk.open(options());
  EXPECT_EQ(state().preferences.theme, ThemeName::Light);
  EXPECT_FLOAT_EQ(state().preferences.font_scale, 1.1f);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1100);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.y, 720);
  EXPECT_EQ(state().view.own_trigger(), trigger);
  EXPECT_EQ(state().preferences.picture_folder, desk.pictures().string());
  // Nothing is left in the folder the program was started in, or elsewhere in the home.
  EXPECT_FALSE(std::filesystem::exists("imgui.ini"));
}

TEST_F(StartTest, OwnKeysAreThoseOfTheSettingsFile) {
  desk.remember("tour_done = true\nkeys.pause = \"R\"");
  desk.open(options());
  desk.key(key::R);
  EXPECT_TRUE(state().model.paused());
  ui::apply_bindings({});
}

// Chinese letters in an English window: a file's name here.
TEST_F(StartTest, NamesInChineseCanBeReadInEnglish) {
  desk.remember("tour_done = true");
  const std::filesystem::path file = desk.home() / "训练记录.json";
  std::ofstream(file) << R"({"traceEvents": [{"ph": "X", "cat": "kernel", "name": "k", "ts": 1, "dur": 2, "pid": 0,)"
                         R"( "tid": 7, "args": {"device": 0, "stream": 7}}]})";
  ui::WindowOptions wanted = options();
  wanted.open = {file};
  desk.open(wanted);
  const auto can_draw = [](ImWchar letter) {
    return ImGui::GetIO().Fonts->Fonts[0]->FindGlyphNoFallback(letter) != nullptr;
  };
  EXPECT_TRUE(desk.until([&] { return can_draw(0x8BAD) && can_draw(0x5F55); })) << "训 and 录";
  EXPECT_FALSE(can_draw(0x9F98)) << "龘 is in no name: the fonts have only what is used";
}

TEST_F(StartTest, ABrokenSettingsFileIsNoReasonNotToStart) {
  std::filesystem::create_directories(desk.settings_file().parent_path());
  std::ofstream(desk.settings_file()) << "theme = \nfont_scale = nan";
  desk.open(options());
  EXPECT_EQ(state().preferences.theme, ThemeName::Dark);
  EXPECT_EQ(ImGui::GetIO().DisplaySize.x, 1600);
}

// The loader's first epoch takes a second of its own time: at the usual 1/100 nobody would wait for it.
TEST_F(StartTest, AnExperimentInWhichNothingHappensGoesOnFaster) {
  desk.remember("tour_done = true");
  ui::WindowOptions wanted;
  wanted.experiment = "P27";
  wanted.session.device = "sim:rtx4090";
  wanted.frames_unlimited = true;
  desk.open(wanted);
  EXPECT_TRUE(desk.until([&] { return state().model.speed() > ui::kWindowSpeed; }));
  desk.close();
  // A speed that was asked for stays.
  wanted.speed = 0.001;
  desk.open(wanted);
  EXPECT_FALSE(state().experiment.auto_speed.on);
  EXPECT_DOUBLE_EQ(state().model.speed(), 0.001);
}

// Nothing happens while it rests, but that is not the run's fault.
TEST_F(StartTest, APauseDoesNotChangeTheSpeed) {
  desk.remember("tour_done = true");
  ui::WindowOptions wanted;
  wanted.experiment = "P09";
  wanted.session.device = "sim:rtx4090";
  desk.open(wanted);
  ASSERT_TRUE(desk.until([&] { return state().model.analysis().records().size() > 20; }));
  ASSERT_TRUE(state().experiment.auto_speed.on);
  desk.key(key::Space);
  ASSERT_TRUE(state().model.paused());
  desk.frames(5);
  desk.rest(std::chrono::seconds(3));  // at rest the window draws nothing
  desk.key(key::Space);
  desk.frames(60);
  EXPECT_DOUBLE_EQ(state().model.speed(), ui::kWindowSpeed);
  EXPECT_FALSE(state().model.paused());
}

TEST_F(StartTest, CtrlQQuits) {
  desk.remember("tour_done = true");
  desk.open(options());
  desk.hold(kControl, true);
  EXPECT_TRUE(desk.frame());
  desk.move_key(key::Q, true);
  EXPECT_FALSE(desk.frame());
}

TEST_F(StartTest, AFileOnTheCommandLineIsShown) {
  desk.remember("");
  ui::WindowOptions o = options();
  o.open = {std::filesystem::path(LANESCOPE_SOURCE_DIR) / "tests/data/pytorch-event-sync.json.gz"};
  o.theme = ThemeName::Light;
  desk.open(o);
  EXPECT_FALSE(state().model.live());
  EXPECT_EQ(state().preferences.theme, ThemeName::Light);
  EXPECT_EQ(tour(), TourStep::Off) << "the hints are about a run";
  ASSERT_TRUE(desk.until([&] { return !state().opening.running(); }));
  EXPECT_TRUE(desk.until([&] { return desk.has_place("timeline"); }));
  EXPECT_EQ(state().model.source().file(), o.open[0]);
  EXPECT_EQ(desk.screen().failure(), "");
  EXPECT_FALSE(state().model.simulated());
  desk.act(ui::Action::ToggleTheme);
}

// The window is there before the file is: a pipe gives nothing until somebody writes into it.
TEST_F(StartTest, TheWindowDoesNotWaitForTheFile) {
  desk.remember("");
  ui::WindowOptions o = options();
  o.open = {desk.home() / "slow.json"};
  ASSERT_EQ(mkfifo(o.open[0].c_str(), 0600), 0);
  desk.open(o);
  EXPECT_TRUE(desk.has_place("opening")) << "at once: there is nothing else to show";
  EXPECT_TRUE(state().model.nothing());
  std::ofstream into(o.open[0]);
  into << R"({"traceEvents":[{"ph":"X","cat":"kernel","name":"k","ts":1,"dur":2,"pid":0,"tid":7}]})" << std::flush;
  into.close();
  ASSERT_TRUE(desk.until([&] { return !state().model.nothing(); }));
  desk.frames(2);
  EXPECT_EQ(state().model.trace().counts().recorded, 1u);
  EXPECT_FALSE(desk.has_place("opening"));
}

// With nothing behind it the window goes on saying why, unless something else is shown instead.
TEST_F(StartTest, AFileThatCannotBeParsedIsSaidInTheWindow) {
  desk.remember("tour_done = true");
  ui::WindowOptions o = options();
  o.open = {desk.home() / "cut.json"};
  std::ofstream(o.open[0]) << R"({"traceEvents": [{"ph": "X", "cat": "kernel")";
  desk.open(o);
  ASSERT_TRUE(desk.until([&] { return desk.has_place("nothing"); }));
  desk.frames(2);
  EXPECT_FALSE(state().toast.has_value());
  EXPECT_THAT(desk.screen().failure(), HasSubstr("cut.json: the file is truncated"));

  desk.open(o);
  ASSERT_TRUE(desk.until([&] { return desk.has_place("nothing"); }));
  desk.key(key::R);
  ASSERT_TRUE(desk.until([&] { return state().model.live(); }));
  desk.frames(2);
  EXPECT_FALSE(desk.has_place("nothing"));
  EXPECT_EQ(desk.screen().failure(), "");
}

TEST_F(StartTest, StoppedAtTheStartNothingIsOpen) {
  desk.remember("tour_done = true");
  ui::WindowOptions o = options();
  o.open = {desk.home() / "stopped.json"};
  ASSERT_EQ(mkfifo(o.open[0].c_str(), 0600), 0);
  desk.open(o);
  std::ofstream into(o.open[0]);
  desk.key(key::Escape);
  ASSERT_TRUE(desk.until([&] { return desk.has_place("nothing"); }));
  EXPECT_FALSE(state().opening.running());
  EXPECT_EQ(desk.screen().failure(), "");
}

// What cannot be opened is said in one line, and the next window opens.
TEST_F(StartTest, WhatCannotBeOpenedIsSaidInOneLine) {
  ui::WindowOptions missing = options();
  missing.open = {desk.home() / "missing.json"};
  const auto message = [&](const ui::WindowOptions& o) {
    try {
      desk.open(o);
    } catch (const base::Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  EXPECT_THAT(message(missing), HasSubstr("missing.json"));
  missing.open = {"recorded:missing"};
  EXPECT_THAT(message(missing), HasSubstr("'recorded:missing' is unknown"));
  ui::WindowOptions unknown = options();
  unknown.session.device = "sim:no-such";
  EXPECT_THAT(message(unknown), HasSubstr("no-such"));
  desk.open(options());
  EXPECT_TRUE(desk.until([&] { return state().model.analysis().records().size() > 2; }));
}

}  // namespace
}  // namespace lanescope::ui_test
