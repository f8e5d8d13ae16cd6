// The user's own experiments in the window: files that appear, change, break and vanish; and what is on the screen,
// saved as one.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <imgui.h>

#include <algorithm>
#include <fstream>

#include "desk/desk.h"
#include "experiment/own_experiments.h"
#include "picture/font_files.h"

namespace lanescope::ui_test {
namespace {

namespace fs = std::filesystem;
using experiment::Experiment;
using experiment::Language;
using experiment::Side;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::StartsWith;

class OwnFilesTest : public DeskTest {
 protected:
  void SetUp() override {
    fs::remove_all(folder());
    fs::create_directories(folder());
    DeskTest::SetUp();
    ASSERT_TRUE(desk().until([&] { return experiment::own_experiments().empty() && errors().empty(); }));
    state().toast.reset();
  }
  fs::path folder() { return desk().settings_file().parent_path() / "experiments"; }
  const std::vector<std::string>& errors() { return state().own_files.errors; }
  /// As an editor does: whole, under a new name that replaces the old.
  fs::path write(const std::string& name, const std::string& text) {
    const fs::path path = folder() / name;
    std::ofstream(folder() / ".editing") << text;
    fs::rename(folder() / ".editing", path);
    return path;
  }
  static std::string text_of(const std::string& title, const std::string& more = "") {
    return fmt::format(R"(id = "Y1"
name = "mine"
order = 1
workload = "linear-mse"
device = "sim:rtx4090"
title = {{ en = "{}", zh = "我的" }}
shows = {{ en = "s", zh = "示" }}
watch = {{ en = "w", zh = "看" }}
knob = {{ en = "k", zh = "旋" }}
before = {{ label = {{ en = "b", zh = "前" }}, settings = ["log_interval=1"] }}
after = {{ label = {{ en = "a", zh = "后" }}, settings = ["log_interval=50"] }}
{})",
                       title, more);
  }
  std::string running() {
    const auto& active = state().experiment.active;
    return active ? active->experiment().title[Language::English] : "";
  }
  void wait_listed(std::size_t count) {
    ASSERT_TRUE(desk().until([&] { return experiment::own_experiments().size() == count; }));
  }
  /// Answers the question for the file's name with what is proposed.
  fs::path save() {
    desk().act(ui::Action::SaveExperiment);
    EXPECT_TRUE(desk().until([&] { return desk().has_place("files.confirm") && ImGui::GetIO().WantTextInput; }))
        << (state().toast ? state().toast->text : "no toast");
    desk().frames(3);
    const fs::path path = ui::typed_path(state().files.field.folder, state().files.field.typed);
    desk().key(key::Enter);
    EXPECT_TRUE(desk().until([&] { return fs::exists(path) && !state().overlays.open; }));
    return path;
  }
};

TEST_F(OwnFilesTest, AppearInTheGalleryAndStart) {
  write("Y1-mine.toml", text_of("First title"));
  wait_listed(1);
  desk().key(key::E);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.filter"); }));
  const ui::GalleryList& list = state().overlays.gallery.list;
  EXPECT_EQ(list.chapters.front().title, "Your own");
  ASSERT_THAT(list.chapters.front().experiments, ElementsAre(&experiment::experiment_named("Y1")));
  desk().double_click(middle(desk().place("gallery.Y1")));
  ASSERT_TRUE(desk().until([&] { return running() == "First title"; }));
  EXPECT_EQ(settings().integer("log_interval"), 1);
}

TEST_F(OwnFilesTest, TheRunningOneFollowsItsFile) {
  write("Y1-mine.toml", text_of("First title"));
  wait_listed(1);
  state().requests.experiment = {&experiment::experiment_named("Y1"), Side::After};
  ASSERT_TRUE(desk().until([&] { return running() == "First title"; }));
  wait_for_iterations(3);
  const Experiment& first = state().experiment.active->experiment();
  const std::uint64_t generation = model().generation();
  write("Y1-mine.toml", text_of("Second title", "view = { iterations = 7, trigger = \"item()\" }\n"));
  ASSERT_TRUE(desk().until([&] { return running() == "Second title"; }));
  EXPECT_GT(model().generation(), generation);
  EXPECT_EQ(state().experiment.active->side(), Side::After);
  EXPECT_EQ(settings().integer("log_interval"), 50);
  EXPECT_EQ(state().view.trigger_settings().name, "item()");
  ASSERT_TRUE(state().toast);
  EXPECT_EQ(state().toast->text, "Y1-mine.toml has changed, and runs anew");
  EXPECT_FALSE(state().toast->error);
  EXPECT_EQ(first.title[Language::English], "First title") << "whoever still has it";

  // While it is broken, the run and its texts stay.
  const fs::path path = write("Y1-mine.toml", text_of("Third title", "speed = 2\n"));
  ASSERT_TRUE(desk().until([&] { return !errors().empty(); }));
  EXPECT_THAT(errors(), ElementsAre(StartsWith(path.string() + ":12: speed: is unknown; allowed: id, name")));
  ASSERT_TRUE(state().toast);
  EXPECT_TRUE(state().toast->error);
  EXPECT_EQ(state().toast->text, errors()[0]);
  EXPECT_EQ(running(), "Second title");
  const std::uint64_t before = model().generation();
  write("Y1-mine.toml", text_of("Second title", "view = { iterations = 7, trigger = \"item()\" }\n"));
  ASSERT_TRUE(desk().until([&] { return errors().empty(); }));
  EXPECT_FALSE(state().toast) << "what it said is no longer so";
  EXPECT_EQ(model().generation(), before) << "it says what runs already";

  // Gone, it runs on; and it is no longer offered.
  fs::remove_all(folder());
  wait_listed(0);
  wait_for_iterations(model().analysis().records().size() + 3);
  EXPECT_EQ(running(), "Second title");
}

TEST_F(OwnFilesTest, TheGalleryNamesFilesWithErrors) {
  const fs::path path = write("Y9-broken.toml", "id = \"Y9\"\n");
  ASSERT_TRUE(desk().until([&] { return !errors().empty(); }));
  desk().key(key::E);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.error.0"); }));
  EXPECT_THAT(state().overlays.gallery.list.errors, ElementsAre(path.string() + ":1: name: is missing"));
  EXPECT_FALSE(desk().has_place("gallery.error.1"));
  fs::remove(path);
  ASSERT_TRUE(desk().until([&] { return errors().empty() && !desk().has_place("gallery.error.0"); }));
}

// A letter that none of the program's own texts has.
TEST_F(OwnFilesTest, TheFontsGetTheLettersOfNewFiles) {
  if (!ui::has_chinese_font()) GTEST_SKIP() << "no font with Chinese characters";
  state().preferences.language = Language::Chinese;
  const auto is_there = [] {
    const auto& fonts = ImGui::GetIO().Fonts->Fonts;
    return std::any_of(fonts.begin(), fonts.end(), [](ImFont* f) { return f->FindGlyphNoFallback(0x9F98) != nullptr; });
  };
  desk().frames(3);
  EXPECT_FALSE(is_there());
  std::string text = text_of("Letters");
  text.replace(text.find("我的"), std::string("我的").size(), "龘");  // U+9F98
  write("Y1-mine.toml", text);
  EXPECT_TRUE(desk().until(is_there));
}

// The plain run: the last turn of a knob gives the two sides.
TEST_F(OwnFilesTest, ATurnIsSavedAsAnExperiment) {
  run({"batch_size=256"});
  desk().act(ui::Action::SaveExperiment);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_EQ(state().toast->text, "turn a knob first: its two positions become the two sides");
  EXPECT_FALSE(state().overlays.open);
  EXPECT_TRUE(fs::is_empty(folder()));

  ASSERT_EQ(model().set("pinned", true), "");
  desk().frames(3);
  ASSERT_EQ(model().set("log_interval", std::int64_t{100}), "");
  ui::TriggerSettings trigger;
  trigger.source = ui::TriggerSource::LongWait;
  trigger.wait_over_ns = 42'000;
  state().view.set_trigger(trigger);
  ASSERT_TRUE(desk().until([&] { return model().recent_is_current() && model().recent().pace.known(); }));
  hold_still();
  const double held = std::floor(state().view.destination().span_ns() / model().recent().pace.ns);
  const fs::path path = save();
  EXPECT_EQ(path, folder() / "X1-log-interval-1-100.toml");
  wait_listed(1);
  const Experiment& saved = experiment::experiment_named("X1");
  EXPECT_EQ(file_of(saved), path);
  EXPECT_EQ(saved.title[Language::English], "log interval 1 → 100");
  EXPECT_EQ(saved.title[Language::Chinese], "日志间隔 1 → 100");
  EXPECT_EQ(saved.workload, "linear-mse");
  EXPECT_EQ(saved.device, "sim:rtx4090");
  EXPECT_THAT(saved.settings, testing::UnorderedElementsAre("batch_size=256", "pinned=true"));
  EXPECT_THAT(saved.side(Side::Before).settings, ElementsAre("log_interval=1"));
  EXPECT_THAT(saved.side(Side::After).settings, ElementsAre("log_interval=100"));
  EXPECT_EQ(saved.side(Side::After).label[Language::English], "log interval 100");
  EXPECT_EQ(saved.turned_knob, "log_interval");
  EXPECT_THAT(saved.published, IsEmpty());
  const experiment::View& view = saved.side(Side::Before).view;
  EXPECT_EQ(view.trigger, "wait");
  EXPECT_EQ(view.wait_over_ns, 42'000);
  EXPECT_EQ(view.iterations, std::max(held, 1.0)) << "whole ones";
  EXPECT_EQ(saved.side(Side::After).view, view);
  ASSERT_TRUE(state().toast);
  EXPECT_EQ(state().toast->text, "X1 saved: " + path.string());

  // It is an experiment like any other.
  state().requests.experiment = {&saved, Side::After};
  ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
  EXPECT_EQ(settings().integer("log_interval"), 100);
  EXPECT_EQ(settings().integer("batch_size"), 256);
  EXPECT_TRUE(settings().boolean("pinned"));
}

TEST_F(OwnFilesTest, TheRunningExperimentIsSavedWithTheOtherKnobsAsTheyAre) {
  const Experiment& p09 = experiment::experiment_named("P09");
  state().requests.experiment = {&p09, Side::Before};
  ASSERT_TRUE(desk().until([&] { return running() == p09.title[Language::English]; }));
  wait_for_iterations(3);
  ASSERT_EQ(model().set("batch_size", std::int64_t{512}), "");
  wait_for_iterations(model().analysis().records().size() + 3);
  const fs::path first = save();
  wait_listed(1);
  const Experiment& saved = experiment::experiment_named("X1");
  EXPECT_EQ(saved.title[Language::English], "Reading the loss every iteration: batch size 512");
  EXPECT_THAT(saved.settings, ElementsAre("feed=resident", "batch_size=512"));
  EXPECT_THAT(saved.side(Side::Before).settings, ElementsAre("log_interval=1"));
  EXPECT_THAT(saved.side(Side::After).settings, ElementsAre("log_interval=0"));
  EXPECT_EQ(saved.side(Side::After).label, p09.side(Side::After).label);
  EXPECT_EQ(saved.turned_knob, "log_interval");
  EXPECT_THAT(saved.published, IsEmpty());

  // A knob of its own, turned to what neither side has: then the turn is what is on the screen.
  ASSERT_EQ(model().set("log_interval", std::int64_t{20}), "");
  wait_for_iterations(model().analysis().records().size() + 3);
  save();
  wait_listed(2);
  const Experiment& turned = experiment::experiment_named("X2");
  EXPECT_EQ(turned.title[Language::English], "log interval 1 → 20");
  EXPECT_THAT(turned.side(Side::After).settings, ElementsAre("log_interval=20"));
}

// Never over a file that is there without being asked.
TEST_F(OwnFilesTest, AnExistingFileIsReplacedOnlyAfterAQuestion) {
  ASSERT_EQ(model().set("pinned", true), "");
  desk().frames(3);
  const fs::path path = write("X1-pinned-memory-off-on.toml", "not an experiment");
  ASSERT_TRUE(desk().until([&] { return !errors().empty(); }));
  desk().act(ui::Action::SaveExperiment);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.confirm") && ImGui::GetIO().WantTextInput; }));
  EXPECT_THAT(state().files.field.typed, testing::EndsWith("/" + path.filename().string()));
  desk().frames(3);
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return !state().files.field.replaces.empty(); }));
  EXPECT_EQ(fs::file_size(path), 17u);
  desk().click("files.confirm");
  wait_listed(1);
  EXPECT_GT(fs::file_size(path), 100u);
  EXPECT_EQ(experiment::experiment_named("X1").title[Language::English], "pinned memory off → on");
  ASSERT_TRUE(desk().until([&] { return errors().empty(); }));
}

}  // namespace
}  // namespace lanescope::ui_test
