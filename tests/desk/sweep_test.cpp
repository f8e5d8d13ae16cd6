// The sweep panel with the mouse and the keyboard.
#include <gmock/gmock.h>

#include <fstream>

#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using testing::StartsWith;

class SweepTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    state().sweep = {};
    desk().act(ui::Action::Sweep);
    ASSERT_TRUE(desk().until([&] { return desk().has_place("sweep"); }));
  }
  void TearDown() override {
    while (state().sweep.open) desk().key(key::Escape);
  }
  bool done() { return state().sweep.sweep && !state().sweep.sweep->running(); }
  std::string only_saved(const std::string& extension) {
    std::string found;
    for (const auto& file : desk().saved()) {
      if (file.extension() == extension && file.filename().string().find("-sweep-") != std::string::npos) {
        found = file.string();
      }
    }
    return found;
  }
};

TEST_F(SweepTest, AReadySweepFillsTheChartAndIsSaved) {
  desk().click("sweep.ready.P05");
  ASSERT_TRUE(desk().until([&] { return done(); }));
  const auto points = state().sweep.sweep->points();
  EXPECT_EQ(points.size(), 12u);
  for (const auto& point : points) EXPECT_TRUE(point.value) << point.error;
  desk().frames(3);
  desk().point_at(middle(desk().place("sweep.chart")));
  ASSERT_TRUE(desk().until([&] { return state().sweep.marked.has_value(); }));
  desk().click("sweep.csv");
  ASSERT_TRUE(desk().until([&] { return !only_saved(".csv").empty(); }));
  std::ifstream csv(only_saved(".csv"));
  std::string head;
  std::getline(csv, head);
  EXPECT_THAT(head, StartsWith("iterations,batch_size,value"));
  desk().click("sweep.picture");
  ASSERT_TRUE(desk().until([&] { return !only_saved(".png").empty(); }));
  desk().click("sweep.others");
  EXPECT_TRUE(desk().has_place("sweep.ready.P10"));
}

// P26 is about iris: the form beside its chart describes that sweep, and not one of the run on the screen.
TEST_F(SweepTest, TheFormDescribesWhatIsOnTheChart) {
  desk().click("sweep.ready.P26");
  ASSERT_TRUE(desk().until([&] { return state().sweep.sweep != nullptr; }));
  const auto& draft = state().sweep.draft;
  const auto& spec = state().sweep.sweep->spec();
  EXPECT_EQ(draft.workload, "iris-mlp");
  EXPECT_EQ(draft.axes[0].values, "1, 2, 5, 10, 20, 50, 100, 200, 1000, 2000");
  EXPECT_EQ(draft.iterations, std::to_string(spec.iterations));
  EXPECT_GE(spec.iterations, 4u * 2000) << "a value that is never met is no value";
  DrawnTexts drawn;
  desk().frames(3);
  EXPECT_TRUE(drawn.texts().contains("VARY A KNOB OF iris-mlp"));
  EXPECT_TRUE(drawn.texts().contains("8,000 iterations per run"));
  EXPECT_FALSE(drawn.texts().contains("VARY A KNOB OF linear-mse"));
  desk().click("sweep.cancel");
  ASSERT_TRUE(desk().until([&] { return !state().sweep.sweep->running(); }));
  desk().click("sweep.own");
  EXPECT_EQ(draft.workload, "");
  EXPECT_EQ(state().sweep.drafted_for, "linear-mse");
}

// Of the values suggested, 2,000 is the largest interval: 4 x 2,000.
TEST_F(SweepTest, EveryIntervalIsMetSeveralTimes) {
  desk().frames(2);
  EXPECT_EQ(state().sweep.draft.axes[0].values, "0, 1, 5, 10, 50, 100, 500, 2000");
  EXPECT_EQ(state().sweep.draft.iterations, "8000");
  state().sweep.draft.axes[0].values = "1, 100";
  desk().frames(2);
  EXPECT_EQ(state().sweep.draft.iterations, "400");
  state().sweep.draft.own_iterations = true;
  state().sweep.draft.iterations = "50";
  desk().frames(2);
  EXPECT_EQ(state().sweep.draft.iterations, "50") << "as typed";
}

TEST_F(SweepTest, AKnobOfTheRunOnTheScreenIsVariedAndTheRunGoesOn) {
  EXPECT_EQ(state().sweep.draft.axes[0].key, "log_interval");
  state().sweep.draft.axes[0].values = "1, 100";
  state().sweep.draft.iterations = "50";
  state().sweep.draft.own_iterations = true;
  desk().click("sweep.start");
  ASSERT_TRUE(desk().until([&] { return done() && !model().paused(); }));
  const auto points = state().sweep.sweep->points();
  ASSERT_EQ(points.size(), 2u);
  EXPECT_GT(points[0].value.value_or(0), points[1].value.value_or(0));
  const Nanoseconds before = model().live_edge();
  EXPECT_TRUE(desk().until([&] { return model().live_edge() > before; }));
}

TEST_F(SweepTest, AValueThatIsNotAllowedIsRefusedInWords) {
  state().sweep.draft.axes[0].values = "-1";
  desk().click("sweep.start");
  EXPECT_THAT(state().sweep.problem, HasSubstr("log_interval"));
  EXPECT_FALSE(state().sweep.sweep);
  desk().key(key::Escape);
  EXPECT_FALSE(state().sweep.open);
}

}  // namespace
}  // namespace lanescope::ui_test
