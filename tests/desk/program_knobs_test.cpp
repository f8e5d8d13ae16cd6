// The knobs of a watched program in the window: in the row, on a card, at the bracket.
#include <gmock/gmock.h>

#include <set>
#include <string>
#include <vector>

#include "desk/desk.h"
#include "desk/drawn_text.h"
#include "model/watched_program.h"

namespace lanescope::ui_test {
namespace {

using attach::Knob;
using attach::KnobKind;
using attach::ProgramTrial;
using testing::AllOf;
using testing::AnyOf;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Not;
using testing::Pair;

class ProgramKnobsTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    const std::uint64_t before = model().generation();
    ui::Recipe recipe;
    recipe.make = [this] {
      auto source = std::make_unique<WatchedProgram>(desk().home() / "project");
      program_ = source.get();
      program_->tell_lines();
      return source;
    };
    state().requests.source = recipe;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    program_->play(200);
    ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() == 200; }));
    desk().point_at({4, 4});
  }
  static Knob knob_at(KnobKind kind, std::uint32_t line, std::string name = {}, std::string value = {}) {
    Knob knob;
    knob.kind = kind;
    knob.file = "train.py";
    knob.line = line;
    knob.name = std::move(name);
    knob.value = std::move(value);
    knob.calls = 1;
    return knob;
  }
  void offer_all() {
    Knob refused = knob_at(KnobKind::NonBlocking, 6, "to");
    refused.refused = "the pinned buffer is written to again";
    program_->offer({refused, knob_at(KnobKind::ReadEvery, 8, "item"), knob_at(KnobKind::Pinned, 6, "to")});
    desk().frames(3);
  }
  std::set<std::string> texts() {
    DrawnTexts drawn;
    desk().frames(2);
    return drawn.texts();
  }
  void end_well(Nanoseconds as_it_is, Nanoseconds turned) {
    program_->measure(16, as_it_is, turned);
    program_->end_trial(ProgramTrial::State::Done);
    desk().frames(3);
  }
  const std::vector<ProgramTrial>& trials() { return program_->known().trials; }

  WatchedProgram* program_ = nullptr;  // the window's
};

TEST_F(ProgramKnobsTest, WithoutThemOneQuietLineSaysHowToGetThem) {
  ASSERT_TRUE(desk().until([&] { return desk().has_place("program.none"); }));
  EXPECT_THAT(texts(), Contains("Start with --knobs to turn non_blocking, pinned and reads in this program"));
  EXPECT_FALSE(desk().has_place("program.more"));
  ASSERT_TRUE(desk().until([&] { return !state().advice.cards().empty(); }));
  EXPECT_FALSE(desk().has_place("advice.0.try"));
  offer_all();
  EXPECT_FALSE(desk().has_place("program.none"));
}

TEST_F(ProgramKnobsTest, StandInTheRowAndThoseThatCannotBeTurnedInAListWithTheirReason) {
  offer_all();
  ASSERT_TRUE(desk().has_place("knob.program.read-every.8"));
  EXPECT_TRUE(desk().has_place("knob.program.pinned.6"));
  EXPECT_FALSE(desk().has_place("knob.program.non_blocking.6"));
  EXPECT_THAT(texts(), AllOf(Contains("read every"), Contains("pinned"), Contains("train.py:8"),
                             Not(Contains("the pinned buffer is written to again"))));
  desk().click("program.more");
  for (const char* says : {"CANNOT BE TURNED", "non_blocking", "the pinned buffer is written to again"})
    EXPECT_THAT(texts(), Contains(HasSubstr(says)));
  desk().key(key::Escape);
  desk().point_at(middle(desk().place("knob.program.read-every.8")));
  desk().frames(3);
  std::string tooltip;
  for (const std::string& line : texts()) tooltip += line + '\n';
  EXPECT_THAT(tooltip, HasSubstr("every N-th time"));
}

TEST_F(ProgramKnobsTest, ATickIsATrialThatEscEndsBeforeAnythingElse) {
  offer_all();
  state().scope.panel_open = true;
  desk().frames(2);
  desk().click("value.program.read-every.8");
  desk().click("value.program.read-every.8.20");
  desk().click("knob.program.read-every.8");
  ASSERT_EQ(trials().size(), 1u);
  EXPECT_EQ(trials()[0].plan.value, "20");
  EXPECT_EQ(trials()[0].plan.knob.kind, KnobKind::ReadEvery);
  program_->measure(11, base::kMillisecond, 800'000);
  desk().frames(2);
  EXPECT_THAT(texts(), Contains(HasSubstr("block 12 of ")));
  EXPECT_FALSE(state().toast.has_value());
  // One at a time.
  desk().click("knob.program.pinned.6");
  EXPECT_EQ(trials().size(), 1u);
  ASSERT_TRUE(state().toast.has_value());
  EXPECT_EQ(state().toast->text, "Another trial is running");
  state().toast.reset();
  desk().key(key::Escape);
  EXPECT_EQ(program_->stops, 1);
  EXPECT_TRUE(state().scope.panel_open);
  desk().key(key::Escape);
  EXPECT_EQ(program_->stops, 1);
  EXPECT_FALSE(state().scope.panel_open) << "what it does otherwise";
  program_->end_trial(ProgramTrial::State::Failed, "ValueError in train.py:7");
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_EQ(state().toast->text, "read every 20 train.py:8: ValueError in train.py:7");
  EXPECT_THAT(texts(), Contains("ended early"));
  EXPECT_FALSE(desk().has_place("bracket"));
}

TEST_F(ProgramKnobsTest, WhatItHasMeasuredStandsBesideWhatAReplaySaidAndAtTheBracket) {
  offer_all();
  ASSERT_TRUE(desk().until([&] { return model().recent().iteration.count > 0; }));
  desk().click("knob.program.read-every.8");
  ASSERT_EQ(trials().size(), 1u);
  ASSERT_TRUE(desk().until([&] { return !state().program_trials.busy(); }));
  EXPECT_FALSE(desk().has_place("bracket"));
  end_well(1'000'000, 800'000);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("bracket") && desk().has_place("ghost"); }));
  const std::set<std::string> all = texts();
  EXPECT_THAT(all, Contains("1.24 to 1.26x"));
  EXPECT_THAT(all, Contains(testing::MatchesRegex("predicted 1[.].* to 1[.].*x")));
  EXPECT_THAT(all, AllOf(Contains("NOW"), Contains("TRIAL"), Contains("read every 10")));
  EXPECT_THAT(all, Contains(AnyOf("199 µs shorter", "200 µs shorter", "201 µs shorter")));
  ASSERT_TRUE(state().toast.has_value());
  EXPECT_THAT(state().toast->text, HasSubstr("read every 10 train.py:8: 1.24 to 1.26 times as fast, "));
  // As long as the bracket is what was measured.
  const float length = desk().place("bracket").width;
  EXPECT_NEAR(length, axis().length_px(200'000), axis().length_px(2'000) + 1);
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return !desk().has_place("bracket") && !desk().has_place("ghost"); }));
  EXPECT_THAT(texts(), Contains("1.24 to 1.26x")) << "at its knob it stays";
}

TEST_F(ProgramKnobsTest, WhatCostsIsToldAsLonger) {
  offer_all();
  desk().click("knob.program.pinned.6");  // nothing is copied: a replay can tell nothing
  ASSERT_EQ(trials().size(), 1u);
  end_well(800'000, 1'000'000);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("bracket"); }));
  EXPECT_FALSE(desk().has_place("ghost"));
  EXPECT_THAT(texts(), Contains(AnyOf("199 µs longer", "200 µs longer", "201 µs longer")));
  EXPECT_THAT(texts(), Contains("0.79 to 0.81x"));
  // The next one begins with nothing of it.
  desk().click("knob.program.read-every.8");
  ASSERT_TRUE(desk().until([&] { return !desk().has_place("bracket"); }));
  end_well(1'000'000, 1'000'000);
  EXPECT_FALSE(desk().has_place("bracket"));
  EXPECT_THAT(texts(), Contains(HasSubstr("no difference above 0.")));
}

TEST_F(ProgramKnobsTest, ACardsButtonTriesItsCureAndItsPatchHasTheMeasuredGain) {
  offer_all();
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.try"); }));
  EXPECT_THAT(texts(), Contains("Try it in the program"));
  desk().click("advice.0");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.copy"); }));
  desk().click("advice.0.copy");
  EXPECT_THAT(ImGui::GetClipboardText(), Not(HasSubstr("measured")));
  desk().click("advice.0.try");
  ASSERT_EQ(trials().size(), 1u);
  EXPECT_EQ(trials()[0].plan.knob.id(), "read-every train.py:8");
  program_->measure(4, 1'000'000, 800'000);
  EXPECT_THAT(texts(), AllOf(Contains("Stop (Esc)"), Contains(HasSubstr("block 5 of "))));
  desk().click("advice.0.try");
  EXPECT_EQ(program_->stops, 1);
  ASSERT_TRUE(desk().until([&] { return !state().program_trials.busy(); }));
  program_->known().trials.back().blocks.clear();
  end_well(1'000'000, 800'000);
  EXPECT_THAT(texts(), AllOf(Contains("measured"), Contains("1.24 to 1.26x"),
                             Contains(testing::MatchesRegex("predicted 1[.].* to 1[.].*x"))));
  EXPECT_THAT(texts(), Contains("TRIAL")) << "its own card is unfolded";
  desk().click("advice.0.copy");
  EXPECT_THAT(ImGui::GetClipboardText(),
              testing::StartsWith("train.py:8\n"
                                  "# measured in the running program: 1.24 to 1.26 times as fast, 352 iterations "
                                  "(read every 10)\n"
                                  "- print(loss.item())\n"));
  EXPECT_TRUE(state().advice.open.has_value()) << "the card itself was not clicked";
}

TEST_F(ProgramKnobsTest, HerOwnKnobIsASliderWithItsNameAndItsTrialComparesOldWithNew) {
  Knob own = knob_at(KnobKind::Own, 5, "log_interval", "100");
  own.least = 1;
  own.most = 200;
  program_->offer({own});
  desk().frames(3);
  EXPECT_THAT(texts(), Contains("log_interval"));
  EXPECT_FALSE(desk().has_place("knob.program.own.log_interval.try")) << "there is nothing to compare";
  const Rect track = desk().place("knob.program.own.log_interval");
  desk().drag({track.x + track.width - 30, track.y + track.height / 2}, {track.x + 2, track.y + track.height / 2});
  ASSERT_FALSE(program_->own_sets.empty());
  EXPECT_THAT(program_->own_sets.back(), Pair("log_interval", "1"));
  ASSERT_TRUE(desk().until([&] { return desk().has_place("knob.program.own.log_interval.try"); }));
  EXPECT_THAT(texts(), Contains("Try 100 → 1"));
  desk().click("knob.program.own.log_interval.try");
  ASSERT_EQ(trials().size(), 1u);
  EXPECT_EQ(trials()[0].plan.value, "1");
  EXPECT_THAT(program_->own_sets.back(), Pair("log_interval", "100"));
  end_well(1'000'000, 1'250'000);
  EXPECT_THAT(program_->own_sets.back(), Pair("log_interval", "1")) << "what it was set to stays";
  EXPECT_THAT(texts(), Contains("0.79 to 0.81x"));
}

}  // namespace
}  // namespace lanescope::ui_test
