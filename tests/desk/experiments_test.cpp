// The gallery, the experiment panel and its switch, with the mouse and the keyboard.
#include <gmock/gmock.h>
#include <imgui.h>
#include <imgui_internal.h>

#include "desk/desk.h"
#include "desk/drawn_text.h"
#include "picture/font_files.h"
#include "picture/words.h"

namespace lanescope::ui_test {
namespace {

using experiment::Experiment;
using experiment::Language;
using experiment::Side;

class ExperimentsTest : public DeskTest {
 protected:
  std::string running() { return state().experiment.active ? state().experiment.active->experiment().id : ""; }
  std::optional<Side> side() { return state().experiment.active->side_of(settings()); }
  void wait_for_experiment(const std::string& id) {
    ASSERT_TRUE(desk().until([&] { return running() == id; })) << running();
    wait_for_iterations(3);
  }
  /// Not by hand: that is what other tests are for.
  void start(const Experiment& e, Side s = Side::Before) {
    state().requests.experiment = {&e, s};
    wait_for_experiment(e.id);
  }
  const Experiment& item() { return experiment::experiment_named("P09"); }
};

TEST_F(ExperimentsTest, EOpensTheGalleryAndEnterStartsWhatTheArrowsChose) {
  start(item());
  desk().key(key::E);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.filter"); }));
  EXPECT_TRUE(state().overlays.gallery.filter.empty());
  EXPECT_EQ(state().overlays.gallery.list.at(state().overlays.gallery.selected)->id, "P09");
  desk().key(key::Right);
  const Experiment* next = state().overlays.gallery.list.at(state().overlays.gallery.selected);
  EXPECT_EQ(next->order, item().order + 1);
  desk().key(key::Left);
  desk().key(key::Right);
  desk().key(key::Enter);
  wait_for_experiment(next->id);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Gallery);
  EXPECT_EQ(model().steering()->workload().name, next->workload);
  EXPECT_EQ(side(), Side::Before);
}

TEST_F(ExperimentsTest, TypingFiltersAndEscCloses) {
  desk().click("gallery.open");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.filter"); }));
  EXPECT_EQ(state().overlays.gallery.list.size(), experiment::experiments().size());
  desk().type("p16");
  EXPECT_EQ(state().overlays.gallery.filter, "p16");
  EXPECT_EQ(state().overlays.gallery.list.size(), 1u);
  desk().key(key::Escape);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Gallery);  // the first takes the filter away
  ASSERT_TRUE(desk().until([&] { return state().overlays.gallery.filter.empty(); }));
  desk().frames(3);
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Gallery);
  EXPECT_EQ(running(), "");
}

// A click on a card takes the keyboard from the field and gives it back; Esc must still clear and close.
TEST_F(ExperimentsTest, EscClearsAndClosesAfterAClickOnACard) {
  desk().click("gallery.open");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("gallery.filter"); }));
  desk().type("p1");
  desk().click("gallery.P10");
  desk().frames(3);
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return state().overlays.gallery.filter.empty(); }));
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Gallery);
  desk().frames(3);
  desk().type("gb");
  EXPECT_EQ(state().overlays.gallery.filter, "gb") << "the field can be typed into again";
  // Keys that are up again before the program looks count, too.
  desk().tap(key::Backspace);
  EXPECT_EQ(state().overlays.gallery.filter, "g");
  desk().tap(key::Escape);
  ASSERT_TRUE(desk().until([&] { return state().overlays.gallery.filter.empty(); }));
  desk().frames(3);
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Gallery);
}

// What says that a knob was changed by hand must not push the slider away from the hand that drags it.
TEST_F(ExperimentsTest, TheSliderStaysWhereItIsWhenItIsTurned) {
  start(item());
  const Rect before = desk().place("knob.log_interval");
  model().set("log_interval", std::int64_t{7});
  ASSERT_TRUE(desk().until([&] { return !side(); }));
  desk().frames(3);
  const Rect after = desk().place("knob.log_interval");
  EXPECT_EQ(before.y, after.y);
  EXPECT_EQ(before.x, after.x);
}

// Published values, this run's and their ratio, with units as long as they come: no two texts of the left panel touch.
TEST_F(ExperimentsTest, NoTextsOverlapInThePanel) {
  std::size_t seen = 0;
  for (const Experiment& e : experiment::experiments()) {
    if (e.published.empty() || e.device_of(Side::Before).starts_with("cpu")) continue;
    start(e);
    state().about_open = true;
    model().set_speed(1);
    const auto begun = base::now();
    desk().until([&] {
      return state().experiment.active->measured(Side::Before) || base::now() - begun > std::chrono::seconds(1);
    });
    ImGuiWindow* panel = ImGui::FindWindowByName("##about");
    ASSERT_NE(panel, nullptr);
    for (float top = 0; top == 0 || top <= panel->ScrollMax.y; top += 500) {
      panel->Scroll.y = top;
      desk().frames(2);
      DrawnTexts drawn("##about");
      desk().frames(1);
      std::vector<DrawnText> texts;
      for (const DrawnText& t : drawn.places()) {
        if (t.text == "Debug") continue;  // the title of Dear ImGui's own window, which is hidden
        if (t.x + t.width < panel->Pos.x + panel->Size.x && t.y > panel->Pos.y &&
            t.y + t.height < panel->Pos.y + panel->Size.y) {
          texts.push_back(t);
        }
      }
      seen += texts.size();
      for (std::size_t a = 0; a < texts.size(); ++a) {
        for (std::size_t b = a + 1; b < texts.size(); ++b) {
          const float across =
              std::min(texts[a].x + texts[a].width, texts[b].x + texts[b].width) - std::max(texts[a].x, texts[b].x);
          const float down =
              std::min(texts[a].y + texts[a].height, texts[b].y + texts[b].height) - std::max(texts[a].y, texts[b].y);
          EXPECT_FALSE(across > 1 && down > 3) << e.id << ": '" << texts[a].text << "' and '" << texts[b].text << "'";
        }
      }
    }
  }
  EXPECT_GT(seen, 1000u);
}

TEST_F(ExperimentsTest, AClickShowsACardAndTheButtonStartsIt) {
  desk().click("gallery.open");
  desk().click("gallery.P10");
  EXPECT_EQ(state().overlays.gallery.list.at(state().overlays.gallery.selected)->id, "P10");
  EXPECT_EQ(running(), "");
  desk().click("gallery.start");
  wait_for_experiment("P10");
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Gallery);
}

TEST_F(ExperimentsTest, TabFlipsAsOneTurnAndTheFiguresOfBothSidesStay) {
  start(item());
  const auto measured = [&](Side s) { return state().experiment.active->measured(s); };
  ASSERT_TRUE(desk().until([&] { return measured(Side::Before) != nullptr; }));
  EXPECT_EQ(measured(Side::After), nullptr);
  const std::uint64_t run_before = model().generation();
  desk().key(key::Tab);
  ASSERT_TRUE(desk().until([&] { return measured(Side::After) != nullptr; }));
  EXPECT_EQ(side(), Side::After);
  EXPECT_EQ(model().generation(), run_before);
  EXPECT_EQ(markers().size(), 1u);
  ASSERT_NE(measured(Side::Before), nullptr);
  // A read in every iteration is a sync in every iteration; without, there is none. No figure is of the wrong side.
  const auto syncs = [&](Side s) {
    const analysis::Summary& m = measured(s)->summary;
    return static_cast<double>(m.sync_count) / static_cast<double>(m.iteration.count);
  };
  EXPECT_NEAR(syncs(Side::Before), 1, 0.35);
  EXPECT_LT(syncs(Side::After), 0.35);
  EXPECT_GT(measured(Side::Before)->summary.iteration.mean_ns, measured(Side::After)->summary.iteration.mean_ns);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("change"); }));
  desk().click("side.before");
  EXPECT_EQ(side(), Side::Before);
}

TEST_F(ExperimentsTest, AKnobTurnedByHandIsNeitherSide) {
  start(item());
  ASSERT_TRUE(model().set("log_interval", std::int64_t{7}).empty());
  desk().frames(2);
  EXPECT_EQ(side(), std::nullopt);
  EXPECT_FALSE(state().comparison.other.of_experiment());
  desk().click("side.before");  // what it was before: the switch is of what is on the lanes
  EXPECT_EQ(side(), Side::Before);
  state().requests.side = Side::After;
  desk().frames(2);
  EXPECT_EQ(side(), Side::After);
  // One that is not part of the experiment leaves the side as it is, but what the other side gave is no comparison any
  // more.
  ASSERT_TRUE(desk().until([&] { return state().experiment.active->measured(Side::After) != nullptr; }));
  ASSERT_TRUE(model().set("batch_size", std::int64_t{256}).empty());
  EXPECT_EQ(side(), Side::After);
  desk().key(key::Tab);
  ASSERT_TRUE(desk().until([&] { return state().experiment.active->measured(Side::After) == nullptr; }));
}

// R3 is about a list of items and one stacked copy; R2's text also names item.
TEST_F(ExperimentsTest, OnlyTheMethodsThatTheExperimentIsAboutHaveButtons) {
  const auto methods = [&](const char* id) {
    state().requests.experiment = {&experiment::experiment_named(id), Side::Before};
    EXPECT_TRUE(desk().until([&] {
      const auto& active = state().experiment.active;
      return active && active->experiment().id == id && !active->own_knobs().empty();
    }));
    desk().frames(3);
    const auto& active = *state().experiment.active;
    return active.choices(*settings().spec("method"), settings().choice("method"));
  };
  EXPECT_EQ(methods("R3"), (std::vector<std::string>{"list-of-items", "stacked"}));
  EXPECT_TRUE(desk().has_place("knob.method.stacked"));
  EXPECT_FALSE(desk().has_place("knob.method.unsafe"));
  EXPECT_EQ(methods("R2"), (std::vector<std::string>{"item", "print", "fstring"}));
  ASSERT_EQ(model().set("method", std::string("bool")), "") << "what is set by hand is seen";
  desk().frames(3);
  EXPECT_TRUE(desk().has_place("knob.method.bool"));
}

TEST_F(ExperimentsTest, AnotherWorkloadEndsIt) {
  start(item());
  state().requests.run = usual().session;
  state().requests.run->workload = "iris-mlp";
  ASSERT_TRUE(desk().until([&] { return !state().experiment.active; }));
  state().about_open = true;
  EXPECT_TRUE(desk().until([&] { return desk().has_place("workload"); }));
}

TEST_F(ExperimentsTest, TheLanguageOfTheirTextsIsRemembered) {
  if (!ui::has_chinese_font()) GTEST_SKIP() << "no font with Chinese letters";
  start(item());
  desk().act(ui::Action::ToggleLanguage);
  EXPECT_EQ(state().language(), Language::Chinese);
  desk().frames(2);
  const ImFont* font = ImGui::GetIO().Fonts->Fonts[0];
#if IMGUI_VERSION_NUM < 19200
  EXPECT_NE(font->FindGlyphNoFallback(0x6b21), nullptr);  // 次, of P09's title
#else
  EXPECT_NE(font, nullptr);
#endif
  desk().click("language.en");
  EXPECT_EQ(state().language(), Language::English);
  desk().act(ui::Action::ToggleLanguage);
  ui::save_preferences(ui::preferences_path(), state().preferences);
  EXPECT_EQ(ui::load_preferences(ui::preferences_path()).language, Language::Chinese);
}

TEST_F(ExperimentsTest, TheProgramBeginsWithTheFirst) {
  // Begun in SetUpTestSuite; what began is gone since, so a second start tells.
  desk().close();
  desk().open(usual());
  ASSERT_TRUE(state().experiment.active.has_value());
  EXPECT_EQ(&state().experiment.active->experiment(), &experiment::experiments().front());
  EXPECT_EQ(model().steering()->workload().name, "linear-mse");
  desk().close();
  ui::WindowOptions options = usual();
  options.session.workload = "iris-mlp";
  desk().open(options);
  EXPECT_FALSE(state().experiment.active.has_value());
  desk().close();
  options = usual();
  options.experiment = "p09";
  desk().open(options);
  EXPECT_EQ(running(), "P09");
  state().tour = ui::TourStep::Off;
}

}  // namespace
}  // namespace lanescope::ui_test
