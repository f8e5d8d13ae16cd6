// The advisor's cards under the verdict.
#include <gmock/gmock.h>

#include "analysis/trace_builder.h"
#include "desk/desk.h"
#include "io/trace_file.h"

namespace lanescope::ui_test {
namespace {

using analysis::Rule;

class AdviceTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().about_open = true;  // where what was tried stands
    state().requests.experiment = {&experiment::experiment_named("P09"), experiment::Side::Before};
    ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
    // The first cards may still be those of the run that the experiment took the place of.
    ASSERT_TRUE(desk().until([&] {
      return !cards().empty() && cards().front().card.rule == Rule::SyncBubble && desk().has_place("advice.0");
    }));
  }
  const std::vector<ui::AdviceCard>& cards() { return state().advice.cards(); }
};

TEST_F(AdviceTest, AClickShowsTheExampleWithItsPath) {
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.try"); }));
  const float folded = desk().place("advice.0").height;
  ASSERT_FALSE(state().view.frozen_by_hand());
  desk().click("advice.0");
  ASSERT_TRUE(state().selection.event.has_value());
  const trace::Event& event = state().selection.event->event;
  EXPECT_EQ(model().trace().names().text(event.name), "cudaStreamSynchronize");
  EXPECT_TRUE(state().view.frozen_by_hand());
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  EXPECT_GE(event.start_ns, axis().begin_ns());
  EXPECT_LE(event.end_ns, axis().end_ns());
  EXPECT_TRUE(state().cause.path.wait && state().cause.path.bubble) << "a wait and the bubble it leaves";
  EXPECT_GT(desk().place("advice.0").height, folded) << "all of its text";
  desk().click("advice.0");
  EXPECT_EQ(desk().place("advice.0").height, folded);
  EXPECT_TRUE(state().selection.event.has_value()) << "the selection stays";
}

TEST_F(AdviceTest, OfAnOpenedTraceTheViewClosesInOnTheExample) {
  state().requests.files = {LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live() && !cards().empty() && desk().has_place("advice.0"); }));
  EXPECT_EQ(cards().front().card.rule, Rule::LaunchBound);
  EXPECT_EQ(cards().back().card.rule, Rule::SyncBubble);
  const auto width = [&] { return axis().length_px(state().selection.event->event.duration()); };
  desk().click("advice.0");
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_TRUE(trace::is_launch(state().selection.event->event));
  ASSERT_TRUE(desk().until([&] { return !state().view.moving() && state().comparison.other.is_replayed(); }));
  EXPECT_TRUE(desk().until([&] { return width() > 10; })) << width() << " pixels";
}

// Of a trace there is nothing to turn: the replayed iteration is drawn below its recorded one, until the card is
// folded.
TEST_F(AdviceTest, OfAnOpenedTraceTheCureIsDrawnBelow) {
  state().requests.files = {LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live() && !cards().empty() && desk().has_place("advice.0"); }));
  ASSERT_TRUE(cards().front().card.what_if && cards().front().card.what_if->answer.refusal.empty());
  EXPECT_FALSE(desk().has_place("ghost"));
  desk().click("advice.0");
  ASSERT_TRUE(desk().until([&] { return state().comparison.other.is_replayed() && desk().has_place("ghost"); }));
  ASSERT_TRUE(desk().until([&] { return state().view.shown_iteration() && !state().view.moving(); }));
  EXPECT_LT(state().comparison.other.run()->typical_iteration().duration(), state().view.shown_iteration()->duration());
  desk().click("advice.0");
  if (state().advice.open) desk().click("advice.0");  // the first one went back to its example
  ASSERT_TRUE(desk().until([&] { return !state().comparison.other.is_replayed() && !desk().has_place("ghost"); }));
}

TEST_F(AdviceTest, AnUnfoldedCardOfAProgramsLineHasAFixToCopy) {
  trace::Trace trace;
  analysis_test::TraceBuilder builder(trace);
  for (std::uint32_t i = 0; i < 40; ++i) {
    const base::Nanoseconds t = i * 100'000;
    builder.iteration(t, t + 100'000);
    builder.launch(t + 10'000, t + 12'000, i + 1);
    builder.kernel(t + 14'000, t + 44'000, i + 1);
    builder.range("train.py:8  print(loss.item())", t + 40'000, t + 80'000);
    builder.sync(t + 42'000, t + 58'000, 1'000, 14'000);
  }
  builder.publish();
  const std::filesystem::path path = desk().home() / "reads.json";
  io::write_chrome_trace(path, trace, {});
  state().requests.files = {path};
  ASSERT_TRUE(desk().until([&] { return !model().live() && !cards().empty() && desk().has_place("advice.0"); }));
  EXPECT_FALSE(desk().has_place("advice.0.copy"));
  desk().click("advice.0");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.copy"); }));
  hold_still();
  ImGui::SetClipboardText("");
  desk().click("advice.0.copy");
  EXPECT_EQ(std::string(ImGui::GetClipboardText()),
            "train.py:8\n"
            "- print(loss.item())\n"
            "+ if step % 50 == 0:  # step: the loop's counter\n"
            "+     print(loss.item())");
  EXPECT_TRUE(state().advice.open.has_value()) << "the card itself was not clicked";
}

TEST_F(AdviceTest, TheButtonTriesItAndPredictedStandsBesideMeasured) {
  const auto offer = [&] { return state().try_it.offer(cards().front().key); };
  ASSERT_TRUE(desk().until([&] { return offer() && desk().has_place("advice.0.try"); }));
  EXPECT_EQ(offer()->prediction->refusal, "");
  desk().click("advice.0.try");
  EXPECT_EQ(model().steering()->settings().integer("log_interval"), 100);
  EXPECT_FALSE(state().selection.event.has_value()) << "the card itself was not clicked";
  ASSERT_TRUE(desk().until([&] { return desk().has_place("tried.outcome") && !state().try_it.measuring(); }));
  const ui::Tried& tried = state().try_it.tried().back();
  EXPECT_EQ(tried.state, ui::Tried::State::Done);
  EXPECT_LT(tried.measured_ns, tried.before_ns);
  EXPECT_TRUE(tried.error().has_value());
  hold_still();  // the verdict above it may still become a line longer
  desk().click("tried.csv");
  desk().click("tried.back");
  EXPECT_EQ(model().steering()->settings().integer("log_interval"), 1);
  EXPECT_FALSE(desk().has_place("tried.back")) << "there is nothing to turn back any more";
}

// Buttons promise a gain, and none turns another knob before the experiment's own: at interval 2, a hundred would gain
// next to nothing, and nobody can set what the framework costs.
TEST_F(AdviceTest, NoButtonWithoutAGain) {
  for (const auto& [id, side] :
       {std::pair("P28", experiment::Side::After), std::pair("O1", experiment::Side::After),
        std::pair("T4", experiment::Side::Before), std::pair("R2", experiment::Side::Before)}) {
    SCOPED_TRACE(id);
    state().requests.experiment = {&experiment::experiment_named(id), side};
    const std::uint64_t before = model().generation();
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    ASSERT_TRUE(desk().until([&] { return !cards().empty(); }));
    ASSERT_TRUE(desk().until([&] {
      return std::ranges::none_of(cards(), [&](const ui::AdviceCard& c) { return state().try_it.comparing(c.key); });
    }));
    const std::vector<std::string> own = state().experiment.active->own_knobs();
    for (const ui::AdviceCard& card : cards()) {
      const ui::Offer* offer = state().try_it.offer(card.key);
      if (!offer) continue;
      EXPECT_TRUE(offer->prediction->refusal.empty() ? ui::predicted_gain(*offer->prediction) >= 1.03 : true)
          << offer->text << ": " << ui::predicted_gain(*offer->prediction);
      for (const std::string& assignment : offer->trial.assignments) EXPECT_NE(assignment, "dispatch_us=0");
    }
  }
}

TEST_F(AdviceTest, TheFirstButtonTurnsTheExperimentsOwnKnob) {
  ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.try"); }));
  const ui::Offer* offer = state().try_it.offer(cards().front().key);
  ASSERT_NE(offer, nullptr);
  EXPECT_TRUE(offer->own);
  EXPECT_EQ(state().experiment.active->own_knobs(), std::vector<std::string>{"log_interval"});
}

TEST_F(AdviceTest, WhatWasTriedGoesWithTheSettingsThatItLeft) {
  const auto tried = [&] {
    ASSERT_TRUE(desk().until([&] { return desk().has_place("advice.0.try"); }));
    desk().click("advice.0.try");
    ASSERT_TRUE(desk().until([&] { return desk().has_place("tried.outcome"); }));
  };
  tried();
  desk().key(key::RightBracket);  // another knob, or another value
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("tried.outcome"); }));
  ASSERT_EQ(model().set("log_interval", std::int64_t{1}), "");
  tried();
  desk().key(key::Tab);  // the other side
  desk().key(key::Tab);
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("tried.outcome"); }));
  state().requests.files = {LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  EXPECT_TRUE(state().try_it.tried().empty());
}

TEST_F(AdviceTest, GoWithTheRunTheyAreOf) {
  desk().click("advice.0");
  ASSERT_TRUE(state().advice.open.has_value());
  run({"log_interval=0"});
  EXPECT_FALSE(state().advice.open.has_value());
  ASSERT_TRUE(desk().until([&] { return !cards().empty(); }));
  for (const ui::AdviceCard& card : cards()) EXPECT_NE(card.card.rule, Rule::SyncBubble);
}

}  // namespace
}  // namespace lanescope::ui_test
