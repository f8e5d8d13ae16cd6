// Alt+A: the change as a GIF, made while the window goes on.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "desk/desk.h"
#include "experiment/measured_run.h"
#include "read_gif.h"
#include "shell/write_pictures.h"

namespace lanescope::ui_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;

class AnimationTest : public DeskTest {
 protected:
  void SetUp() override {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().preferences.picture_folder = desk().pictures().string();
    state().comparison.state.unpin();
    DeskTest::SetUp();
    wait_for_iterations(3);
    state().experiment.active.reset();
    state().settings_history = {};
    desk().frames(2);
    state().toast.reset();
  }
  void TearDown() override { state().pictures.animation.end(); }

  // The file, and how many frames the window has drawn meanwhile.
  std::pair<test::Gif, int> made() {
    EXPECT_TRUE(desk().until([&] { return state().pictures.animation.busy(); })) << toast();
    int frames = 0;
    EXPECT_TRUE(desk().until([&] {
      ++frames;
      return !state().pictures.animation.busy() && state().pictures.writing.empty() && state().toast;
    }));
    const auto files = desk().saved();
    if (files.size() != 1) {
      ADD_FAILURE() << files.size() << " files; " << toast();
      return {};
    }
    EXPECT_FALSE(state().toast->error);
    EXPECT_THAT(toast(), StartsWith("Animation saved ("));
    EXPECT_THAT(toast(), EndsWith("B): " + files[0].string()));
    EXPECT_THAT(files[0].filename().string(), StartsWith("lanescope-animation"));
    std::ifstream in(files[0], std::ios::binary);
    const std::string bytes{std::istreambuf_iterator<char>(in), {}};
    return {test::read_gif(bytes), frames};
  }
  std::string toast() { return state().toast ? state().toast->text : std::string("no toast"); }
};

TEST_F(AnimationTest, TheLastTurnOfAKnobIsRunAgainWhileTheWindowGoesOn) {
  model().set("pinned", true);
  ASSERT_TRUE(desk().until([&] { return state().settings_history.can_undo(); }));
  desk().frames(2);
  model().set("log_interval", std::int64_t{0});
  ASSERT_TRUE(desk().until([&] { return settings().integer("log_interval") == 0; }));
  desk().frames(2);
  const Nanoseconds edge = model().live_edge();
  desk().tap(key::A, kAlt);
  const auto [gif, frames] = made();
  EXPECT_GE(frames, 100) << "a frame of the window for each picture at least";
  EXPECT_GT(model().live_edge(), edge) << "the run in the window goes on";
  EXPECT_EQ(gif.width, 1272);
  EXPECT_THAT(gif.comment, HasSubstr("\nReading the loss every iteration\nlog interval 1 → never\n"));
  EXPECT_THAT(gif.comment, HasSubstr("x faster, per iteration, by elapsed time; 1,000 iterations each: "));
  EXPECT_THAT(gif.comment, HasSubstr("simulated"));
  EXPECT_EQ(settings().integer("log_interval"), 0) << "the window's knobs stay";
}

TEST_F(AnimationTest, AnExperimentShowsItsTwoSides) {
  desk().shell().start_experiment("P09", experiment::Side::Before);
  ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
  wait_for_iterations(3);
  desk().tap(key::A, kAlt);
  const auto [gif, frames] = made();
  EXPECT_THAT(gif.comment, HasSubstr("P09 Reading the loss every iteration\nlog interval 1 → never\n"));
  EXPECT_THAT(gif.comment, HasSubstr("200 iterations each"));
}

TEST_F(AnimationTest, WithoutATurnItSaysSoInOneLine) {
  desk().tap(key::A, kAlt);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_THAT(toast(), HasSubstr("no knob has been turned yet"));
  EXPECT_FALSE(state().pictures.animation.busy());
  EXPECT_TRUE(desk().saved().empty());
}

ui::SharedSnapshot headless_run(const char* log_interval) {
  session::SessionOptions options;
  options.device = "sim:rtx4090";
  options.assignments = {std::string("log_interval=") + log_interval};
  options.iterations = 50;
  options.paced = false;
  experiment::MeasuredRun run(options, analysis::LiveAnalysis::Detail::Timeline);
  run.run();
  auto plan = ui::plan_ended(run.trace(), run.analysis(), run.figures().summary);
  plan->facts = run.facts();
  plan->title = "Linear and MSE";
  return ui::take_snapshot(std::move(*plan));
}

TEST_F(AnimationTest, AnOpenedTraceIsNotRunAgainButAAndBAreShown) {
  state().requests.files = {LANESCOPE_SOURCE_DIR "/assets/captures/h200--iris-mlp--log-1.json.gz"};
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  desk().frames(3);
  state().toast.reset();
  desk().tap(key::A, kAlt);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_THAT(toast(), HasSubstr("only simulated runs are made again"));
  EXPECT_TRUE(desk().saved().empty());

  state().comparison.state.put(headless_run("1"), headless_run("100"));
  state().toast.reset();
  desk().tap(key::A, kAlt);
  const auto [gif, frames] = made();
  EXPECT_THAT(gif.comment, HasSubstr("Linear and MSE\nlog interval 1 → 100\n"));
  state().comparison.state.unpin();
}

}  // namespace
}  // namespace lanescope::ui_test
