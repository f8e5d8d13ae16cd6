// A program of the user's in the window: its lines in the details, its file in the code view, the dialog that starts
// one.
#include <gmock/gmock.h>

#include <cstdlib>

#include "desk/desk.h"
#include "desk/drawn_text.h"
#include "model/source/attached_source.h"
#include "model/watched_program.h"
#include "window/panels/run/run_panels.h"

namespace lanescope::ui_test {
namespace {

using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using ui::DrawerTab;
using ui::Overlay;

class AttachedTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().preferences.moved_sources.clear();
    show(false);
  }
  void show(bool elsewhere) {
    const std::filesystem::path folder = desk().home() / (elsewhere ? "gone" : "project");
    const std::uint64_t before = model().generation();
    ui::Recipe recipe;
    recipe.make = [this, folder, elsewhere] {
      auto source = std::make_unique<WatchedProgram>(folder, elsewhere);
      program_ = source.get();
      return source;
    };
    state().requests.source = recipe;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    program_->play(40);
    ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() == 40; }));
    desk().point_at({4, 4});
    state().drawer = DrawerTab::Code;
    ASSERT_TRUE(desk().until([&] { return !code().file().empty(); }));
  }
  ui::CodeState& code() { return state().code; }
  void select(trace::LaneId lane, trace::EventIndex i) {
    ui::select_event(state(), trace::event_ref(lane, 0, model().trace().lane(lane).row(0), i));
    desk().frames(3);
  }

  WatchedProgram* program_ = nullptr;  // the window's
};

TEST_F(AttachedTest, TheDetailsHaveTheStackAndAClickOpensALine) {
  state().drawer = DrawerTab::Plots;
  select(program_->calls_lane(), 0);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("stack.1"); }));
  DrawnTexts drawn;
  desk().frames(2);
  EXPECT_THAT(drawn.texts(), Contains("train.py:2 in forward()"));
  EXPECT_THAT(drawn.texts(), Contains("return gemm(x)"));
  EXPECT_THAT(drawn.texts(), Contains("nn.py:99 in linear()"));
  EXPECT_THAT(ui::selection_text(state()), HasSubstr("  train.py:2 in forward()  return gemm(x)\n"));
  desk().click("stack.2");
  ASSERT_TRUE(desk().until([&] { return state().drawer == DrawerTab::Code && desk().has_place("code.5"); }));
  EXPECT_EQ(code().file(), "train.py");
}

// In each millisecond the GPU idles for 600 µs: from the end of "sum" until the next launch's kernel, after the read of
// line 8.
TEST_F(AttachedTest, WhereTheGpuIdlesIsALineWithItsText) {
  state().drawer = DrawerTab::Plots;
  const analysis::IdleLedger& ledger = state().idle.ledger();
  ASSERT_TRUE(desk().until([&] { return !ledger.rows.empty() && desk().has_place("idle.0"); }));
  EXPECT_EQ(ledger.rows[0].place, "train.py:8");
  EXPECT_EQ(ledger.rows[0].longest_ns, 600'000);
  EXPECT_NEAR(ledger.each(ledger.idle_ns), 600'000, 1);
  DrawnTexts drawn;
  desk().frames(2);
  EXPECT_THAT(drawn.texts(), Contains("train.py:8"));
  EXPECT_THAT(drawn.texts(), Contains("print(loss.item())"));
  desk().key(ui::key::Digit1);
  ASSERT_TRUE(state().selection.bubble);
  EXPECT_EQ(state().selection.bubble->duration(), 600'000);
  EXPECT_THAT(state().selection.caption, HasSubstr(" gaps of train.py:8"));
  program_->play(10);
  desk().frames(5);
  EXPECT_EQ(state().idle.chosen(), 0u) << "the choice stays";
}

TEST_F(AttachedTest, TheTooltipHasTheLine) {
  hold_still();
  const auto calls = events_in_view(LaneKind::Calls);
  const auto wait = std::find_if(calls.begin(), calls.end(), [](const auto& e) { return trace::is_sync(e); });
  ASSERT_NE(wait, calls.end());
  DrawnTexts drawn;
  desk().point_at(point_of(LaneKind::Calls, *wait));
  desk().frames(3);
  EXPECT_THAT(drawn.texts(), Contains("train.py:8 in main()"));
  EXPECT_THAT(drawn.texts(), Contains("print(loss.item())"));
}

TEST_F(AttachedTest, AClickOnALineOutlinesItsEventsAndAnEventPointsToItsLine) {
  ASSERT_TRUE(desk().until([&] { return code().cost(7) != nullptr && desk().has_place("code.7"); }));
  desk().click("code.7");
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_TRUE(trace::is_sync(state().selection.event->event)) << "the wait of line 8";
  EXPECT_EQ(code().chosen(), 7u);
  desk().frames(3);
  EXPECT_EQ(code().pointed_to(), 7u);
  select(program_->kernels_lane(), 1);
  EXPECT_EQ(code().pointed_to(), 6u) << "line 7 launched it";
  EXPECT_EQ(code().chosen(), std::nullopt);
}

TEST_F(AttachedTest, AnotherFileCanBeChosenFromTheList) {
  ASSERT_TRUE(desk().until([&] { return code().user_files().size() == 2 && desk().has_place("code.file"); }));
  desk().click("code.file");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("code.file.1"); }));
  desk().click("code.file.1");
  ASSERT_TRUE(desk().until([&] { return code().file() == code().user_files()[1].path; }));
}

TEST_F(AttachedTest, AFileThatIsNotThereIsAskedFor) {
  show(true);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("code.find"); }));
  desk().click("code.find");
  ASSERT_TRUE(desk().until([&] { return state().overlays.open == Overlay::Files; }));
  const std::filesystem::path found = desk().home() / "project" / "train.py";
  state().files.field.chosen = found;
  ASSERT_TRUE(desk().until([&] { return code().code().size() == 9; }));
  EXPECT_THAT(state().preferences.moved_sources,
              ElementsAre(ui::MovedSources{(desk().home() / "gone").string(), (desk().home() / "project").string()}));
  state().preferences.moved_sources.clear();
}

TEST_F(AttachedTest, MoreIsRecordedWhereSomebodyLooks) {
  desk().frames(3);
  program_->recorded.clear();
  state().looking.asked = {};
  state().view.zoom(0.5, axis().left_px() + 100);
  desk().frames(2);
  EXPECT_THAT(program_->recorded, ElementsAre(base::kSecond));
  state().view.pan(-3);
  desk().frames(2);
  EXPECT_THAT(program_->recorded, ElementsAre(base::kSecond)) << "once per second";
  attach::Intensity waits;
  waits.level = wire::Level::Waits;
  static_cast<ui::Source&>(*program_).watching()->set_intensity(waits);
  state().looking.asked = {};
  state().view.pan(3);
  desk().frames(2);
  EXPECT_EQ(program_->recorded.size(), 1u) << "at this level nothing else is recorded";
}

class AttachDialogTest : public AttachedTest {
 protected:
  void SetUp() override {
    AttachedTest::SetUp();
    setenv("LANESCOPE_INJECT", "/proc/self/exe", 1);  // no program here loads it
    state().preferences.attached.clear();
    desk().act(ui::Action::AttachProgram);
    ASSERT_TRUE(desk().until([&] { return state().overlays.open == Overlay::Attach; }));
    desk().frames(3);
  }
  void TearDown() override {
    ui::close_overlay(state());
    unsetenv("LANESCOPE_INJECT");
  }
  ui::AttachDialog& dialog() { return state().overlays.attach; }
};

TEST_F(AttachDialogTest, StartsWhatIsTypedAndRemembersIt) {
  const std::uint64_t before = model().generation();
  desk().type("sh -c 'exit 3'");
  EXPECT_EQ(dialog().typed.command, "sh -c 'exit 3'");
  desk().key(key::Tab);
  desk().type("/");
  desk().key(key::Tab);
  desk().type("A=1");
  EXPECT_EQ(dialog().typed.folder, "/");
  EXPECT_EQ(dialog().typed.environment, "A=1");
  desk().click("attach.start");
  ASSERT_TRUE(desk().until([&] { return model().generation() != before; })) << dialog().problem;
  EXPECT_EQ(state().overlays.open, std::nullopt);
  const ui::Watching* watching = model().source().watching();
  ASSERT_NE(watching, nullptr);
  EXPECT_THAT(watching->command().words, ElementsAre("sh", "-c", "exit 3"));
  EXPECT_EQ(watching->command().folder, "/");
  EXPECT_EQ(watching->command().variables.at("A"), "1");
  EXPECT_TRUE(desk().until([&] { return watching->watched().end == "exit status 3"; }));
  EXPECT_THAT(state().preferences.attached, ElementsAre(ui::AttachedProgram{"sh -c 'exit 3'", "/", "A=1", "acquire"}));
  // The next time, it is there already.
  desk().act(ui::Action::AttachProgram);
  ASSERT_TRUE(desk().until([&] { return state().overlays.open == Overlay::Attach; }));
  EXPECT_EQ(dialog().typed.command, "sh -c 'exit 3'");
}

TEST_F(AttachDialogTest, SaysWhatIsWrongAndStaysOpen) {
  const std::uint64_t before = model().generation();
  desk().type("no-such-program");
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("attach.problem"); }));
  EXPECT_EQ(dialog().problem, "cannot start no-such-program: No such file or directory");
  EXPECT_EQ(state().overlays.open, Overlay::Attach);
  EXPECT_EQ(model().generation(), before) << "what was shown stays";
  desk().type(" |");
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return dialog().problem.starts_with("'|' is for a shell"); }));
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !state().overlays.open; }));
  EXPECT_TRUE(state().preferences.attached.empty());
}

// Each level says what it records and what it costs.
TEST_F(AttachDialogTest, ALevelSaysWhatItCosts) {
  DrawnTexts drawn;
  for (const char* level : {"waits", "acquire", "calls", "all"}) {
    SCOPED_TRACE(level);
    desk().click(std::string("attach.dialog.level.") + level);
    EXPECT_EQ(dialog().typed.level, level);
    drawn.forget();
    desk().frames(2);
    std::string all;
    for (const DrawnText& line : drawn.places()) all += line.text + " ";
    EXPECT_THAT(all, testing::HasSubstr(ui::level_text(attach::parse_level(level)).substr(0, 20)));
    EXPECT_THAT(ui::level_text(attach::parse_level(level)), testing::ContainsRegex("[Cc]ost"));
  }
}

TEST_F(AttachDialogTest, AKnownProgramFillsTheFieldsAndTheLevelIsChosen) {
  state().preferences.attached = {{"python a.py", "/tmp", "", "all"}, {"python b.py", "", "B=2", "waits"}};
  ASSERT_TRUE(desk().until([&] { return desk().has_place("attach.known.1"); }));
  desk().click("attach.known.1");
  desk().frames(3);
  EXPECT_EQ(dialog().typed, (ui::AttachedProgram{"python b.py", "", "B=2", "waits"}));
}

}  // namespace
}  // namespace lanescope::ui_test
