// Where an experiment's view goes, and what is in it.
#include "model/experiment/screen_experiment.h"

#include <fmt/format.h>
#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <set>
#include <thread>

#include "experiment/experiment.h"
#include "timeline/timeline.h"

namespace lanescope::ui {
namespace {

using experiment::Experiment;
using experiment::Side;
using std::chrono::milliseconds;
using Clock = ViewControl::Clock;

// The lanes of a window of 1280x720: 927 pixels wide with their names, and 390 high.
constexpr Rect kArea{0, 80, 927, 390};
constexpr float kLeft = kArea.x + Timeline::kLabelWidth, kWidth = kArea.width - Timeline::kLabelWidth - 16;
constexpr float kLeastWidth = 9;  // a whole iteration is in view

ViewGoal goal(double iterations, const char* trigger = "iteration") {
  experiment::View view;
  view.iterations = iterations;
  view.trigger = trigger;
  return view_goal(view);
}

class ExperimentViewTest : public testing::Test {
 protected:
  void start(const std::string& workload, const std::string& device, const std::vector<std::string>& settings,
             std::uint64_t iterations) {
    session::SessionOptions o;
    o.workload = workload;
    o.device = device;
    o.assignments = settings;
    o.paced = false;
    o.iterations = iterations;
    model.start_run(o);
  }
  void run_to_the_end() {
    while (model.running()) std::this_thread::yield();
    model.source().growth()->end();
    // The run is over, and is read in as many frames as it takes.
    for (int i = 0; i < 10'000 && model.live_edge() < model.trace().complete_until() - 1; ++i) model.update();
  }
  void frames(int count) {
    for (int i = 0; i < count; ++i) {
      now += milliseconds(16);
      model.update();
      view.update(model, kLeft, kWidth, now);
    }
  }

  Model model;
  ViewControl view;
  Clock::time_point now{std::chrono::hours(1)};
};

// 300 iterations of about the same length fill 86 % of the view.
TEST_F(ExperimentViewTest, ShowsAsManyIterationsAsItAsksFor) {
  start("linear-mse", "sim:teaching", {"log_interval=1"}, 300);
  run_to_the_end();
  view.set_goal(goal(8));
  view.go_to_goal();
  frames(120);
  const auto records = model.analysis().records();
  const double pace = static_cast<double>(records[250].end_ns - records[150].end_ns) / 100;
  EXPECT_NEAR(view.axis().span_ns() * 0.8634 / pace, 8, 0.2);
  const double span = view.axis().span_ns();
  view.set_goal(goal(1, "item()"));
  frames(120);
  EXPECT_EQ(view.axis().span_ns(), span) << "another side keeps the scale";
  EXPECT_EQ(view.trigger_settings().name, "item()");
  ASSERT_TRUE(view.shown_iteration());
  EXPECT_EQ(view.trigger_instant(), view.shown_iteration()->start_ns) << "the start of the iteration, not of item()";
  view.go_to_goal();
  frames(120);
  EXPECT_NEAR(view.axis().span_ns() * 0.8634 / pace, 1, 0.03);
}

TEST_F(ExperimentViewTest, WhatTheUserMovedStays) {
  start("linear-mse", "sim:teaching", {"log_interval=1"}, 300);
  run_to_the_end();
  view.set_goal(goal(8));
  view.go_to_goal();
  frames(120);
  view.zoom(2, kLeft + 10);
  frames(60);
  const double zoomed = view.axis().span_ns();
  view.set_goal(goal(2));  // the other side
  frames(120);
  EXPECT_EQ(view.axis().span_ns(), zoomed);
  EXPECT_TRUE(view.moved_by_hand());
  view.go_to_goal();
  frames(120);
  EXPECT_NEAR(view.axis().span_ns(), zoomed * 2 * 2 / 8, zoomed * 0.02);
  // The user's own trigger comes back when the experiment ends.
  TriggerSettings own;
  own.source = TriggerSource::LongWait;
  view.set_trigger(own);
  view.set_goal(goal(1, "item()"));
  EXPECT_EQ(view.own_trigger(), own);
  view.set_goal(std::nullopt);
  EXPECT_EQ(view.trigger_settings(), own);
}

// --- all experiments -------------------------------------------------------------------------------------------------

// The widest part in view, in pixels, of what a view says that it shows: "LANE: NAME" (or how the name begins).
class InView {
 public:
  InView(const Model& model, const Timeline& timeline, const TimeAxis& axis)
      : model_(model), timeline_(timeline), axis_(axis) {}

  float widest(const std::string& shown) const {
    const std::size_t colon = shown.find(": ");
    const std::string lane_name = shown.substr(0, colon);
    const std::string name = shown.substr(colon + 2);
    float widest = 0;
    for (const trace::LaneId lane : timeline_.lanes()) {
      if (model_.trace().lane(lane).info().name == lane_name) widest = std::max(widest, on(lane, name));
    }
    return widest;
  }

 private:
  float width(Nanoseconds from, Nanoseconds to) const {
    const Nanoseconds edge = std::min(axis_.end_ns(), model_.live_edge());
    from = std::max(from, axis_.begin_ns());
    to = std::min(to, edge);
    return to > from ? axis_.to_px(to) - axis_.to_px(from) : 0;
  }
  bool row_in_sight(const EventRef& ref) const {
    const auto rect = timeline_.event_rect(ref, axis_);
    return rect && rect->height >= 8;
  }
  float on(trace::LaneId lane, const std::string& name) const {
    float widest = 0;
    for (std::size_t r = 0; r < model_.trace().lane(lane).row_count(); ++r) {
      const trace::Row& row = model_.trace().lane(lane).row(r);
      const trace::EventIndex last = row.last();
      for (auto i = row.first_ending_after(axis_.begin_ns() - 1, row.first(), last); i < last; ++i) {
        const trace::Event event = row.event(i);
        if (event.start_ns >= axis_.end_ns()) break;
        if (!row_in_sight({lane, r, i, event})) continue;
        if (name == "wait" && event.kind == trace::EventKind::Call) {
          const Nanoseconds from = event.start_ns + trace::parts_of(event).own;
          widest = std::max(widest, width(from, from + trace::parts_of(event).waiting));
        } else if (name == "idle" && trace::is_gpu_work_lane(model_.trace().lane(lane).info().kind)) {
          const auto& bubbles = model_.analysis().bubbles();
          for (const analysis::Bubble& bubble : bubbles) {
            widest = std::max(widest, width(bubble.start_ns, bubble.end_ns));
          }
        } else if (model_.trace().names().text(event.name).starts_with(name)) {
          widest = std::max(widest, width(event.start_ns, event.end_ns));
        }
      }
    }
    return widest;
  }

  const Model& model_;
  const Timeline& timeline_;
  const TimeAxis& axis_;
};

// What is in view, for whoever writes a [view].
std::string all_in_view(const Model& model, const Timeline& timeline, const InView& in_view) {
  std::string says;
  for (const trace::LaneId lane : timeline.lanes()) {
    const std::string& lane_name = model.trace().lane(lane).info().name;
    std::set<std::string> names{"wait", "idle"};
    for (std::size_t r = 0; r < model.trace().lane(lane).row_count(); ++r) {
      const trace::Row& row = model.trace().lane(lane).row(r);
      for (auto i = row.first(); i < row.last(); ++i) names.emplace(model.trace().names().text(row.event(i).name));
    }
    for (const std::string& name : names) {
      const float px = in_view.widest(lane_name + ": " + name);
      if (px >= 4) says += fmt::format("  {}: {} {:.0f}", lane_name, name, px);
    }
    says += "\n";
  }
  return says;
}

class EveryExperimentTest : public ExperimentViewTest, public testing::WithParamInterface<std::size_t> {};

// Without a touch, what the experiment says to watch is in view, and wide enough to be seen.
TEST_P(EveryExperimentTest, ShowsWhatItSaysToWatch) {
  const Experiment& experiment = experiment::experiments()[GetParam()];
  for (const Side side : {Side::Before, Side::After}) {
    SCOPED_TRACE(experiment.id + " " + std::string(experiment::side_key(side)));
    const experiment::View& wanted = experiment.side(side).view;
    EXPECT_FALSE(wanted.shows.empty());
    view = {};
    start(experiment.workload, experiment::chosen_device(experiment, side, ""), experiment.assignments(side),
          std::clamp<std::uint64_t>(experiment.iterations, 6, 400));
    run_to_the_end();
    view.set_goal(view_goal(wanted));
    view.go_to_goal();
    frames(125);  // two seconds
    LaneLayout layout;
    layout.fold_at_first(wanted.folded);
    TimelineFrame frame{model.trace(), &model.analysis(), theme(ThemeName::Dark), model.live_edge()};
    frame.layout = &layout;
    frame.panes = PaneChoice{};
    Timeline timeline;
    timeline.sync(model.trace(), &layout);
    timeline.prepare(frame, view.axis(), kArea);
    const InView in_view(model, timeline, view.axis());
    for (const std::string& shown : wanted.shows) {
      EXPECT_GE(in_view.widest(shown), kLeastWidth)
          << shown << " in " << view.axis().span_ns() / 1000 << " µs from " << view.axis().begin_ns() / 1000 << "\n"
          << all_in_view(model, timeline, in_view);
    }
  }
}

std::string id_of(const testing::TestParamInfo<std::size_t>& info) {
  std::string id = experiment::experiments()[info.param].id;
  std::erase(id, '-');
  return id;
}

INSTANTIATE_TEST_SUITE_P(All, EveryExperimentTest, testing::Range<std::size_t>(0, experiment::experiments().size()),
                         id_of);

}  // namespace
}  // namespace lanescope::ui
