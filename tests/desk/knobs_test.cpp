// Every knob, turned with the mouse: the setting, the marker on the timeline, and what the trace shows of it.
#include <gmock/gmock.h>
#include <imgui.h>

#include <cmath>

#include "analysis/summary.h"
#include "desk/desk.h"
#include "model/experiment/slider_scale.h"
#include "window/widgets.h"
#include "workload/settings.h"

namespace lanescope::ui_test {
namespace {

using analysis::VerdictKind;
using testing::AnyOf;
using testing::EndsWith;
using testing::HasSubstr;
using testing::StartsWith;
using trace::Event;
using trace::LaneKind;

class KnobsTest : public DeskTest {
 protected:
  /// Where a slider's knob is for a value.
  Point slider_point(const std::string& key, double value) {
    const Rect r = desk().place("knob." + key);
    constexpr float kRadius = 7;
    const auto position = static_cast<float>(ui::slider_position(*settings().spec(key), value));
    return {r.x + kRadius + position * (r.width - 2 * kRadius), r.y + r.height / 2};
  }
  void expect_marker(std::size_t count) {
    ASSERT_TRUE(desk().until([&] { return model().analysis().markers().size() >= count; })) << "no marker came";
  }
  /// Waits until there are iterations enough on this side of the last marker.
  void wait_for_iterations_since_marker(std::size_t count) {
    ASSERT_TRUE(desk().until([&] { return events_since(LaneKind::Iterations, last_marker()).size() >= count; }));
  }
  analysis::Summary since(Nanoseconds t) {
    const auto iterations = events_since(LaneKind::Iterations, t);
    return analysis::analyse(model().trace(), iterations.front().start_ns, iterations.back().end_ns);
  }
  analysis::Summary before(Nanoseconds t) { return analysis::analyse(model().trace(), model().extent().first, t); }
};

TEST_F(KnobsTest, DraggingTheLogIntervalThinsOutTheWaits) {
  ASSERT_TRUE(desk().until([&] { return model().recent().verdict.kind == VerdictKind::SyncBound; }));
  const double slow = model().recent().iteration.mean_ns;
  desk().drag(slider_point("log_interval", 1), slider_point("log_interval", 100));
  EXPECT_EQ(settings().integer("log_interval"), 100);
  ASSERT_TRUE(desk().until([&] { return !markers().empty() && markers().back().ends_with("→ 100"); }));
  EXPECT_THAT(markers().front(), StartsWith("log interval 1 → "));
  // Together they read as one turn, and so they stand on the screen (in the view or in the plots below).
  EXPECT_EQ(workload::marker_text(model().trace().names(), model().analysis().markers()), "log interval 1 → 100");

  ASSERT_TRUE(desk().until([&] {
    return model().recent().verdict.kind != VerdictKind::SyncBound && model().recent().iteration.count >= 10;
  }));
  EXPECT_EQ(model().recent().verdict.kind, VerdictKind::LaunchBound);
  EXPECT_LT(model().recent().iteration.mean_ns, slow * 0.8);
  // Beside the figures of now stand those from before the turn.
  EXPECT_NEAR(model().before_change().iteration.mean_ns, slow, slow * 0.1);
  EXPECT_EQ(model().before_change().verdict.kind, VerdictKind::SyncBound);
  wait_for_iterations_since_marker(30);
  const analysis::Summary after = since(last_marker());
  EXPECT_LE(after.sync_count, after.iteration.count / 10);
  EXPECT_GE(before(model().analysis().markers().front().start_ns).sync_count, 5);
}

TEST_F(KnobsTest, TheTurnIsSeenInTheViewAtOnce) {
  desk().click(slider_point("log_interval", 5));
  EXPECT_EQ(settings().integer("log_interval"), 5);
  expect_marker(1);
  const auto shown = [&] {
    for (const ui::Label& label : state().timeline.top().labels) {
      if (label.text == "log interval 1 → 5") return true;
    }
    return false;
  };
  ASSERT_TRUE(desk().until(shown));
  EXPECT_TRUE(axis().overlaps(last_marker(), last_marker() + 1));
}

TEST_F(KnobsTest, TheRightEndIsNever) {
  desk().click(slider_point("log_interval", 0));
  EXPECT_EQ(settings().integer("log_interval"), 0);
  expect_marker(1);
  EXPECT_EQ(markers().back(), "log interval 1 → 0");
  wait_for_iterations_since_marker(5);
  EXPECT_EQ(since(last_marker()).sync_count, 0);
}

TEST_F(KnobsTest, FeedingBringsUploads) {
  desk().click("knob.feed.per-iteration");
  EXPECT_EQ(settings().choice("feed"), "per-iteration");
  expect_marker(1);
  EXPECT_EQ(markers().back(), "feed resident → per-iteration");
  wait_for_iterations_since_marker(4);
  const auto iterations = events_since(LaneKind::Iterations, last_marker());
  const auto copies = events_since(LaneKind::CopyH2D, last_marker());
  EXPECT_GE(copies.size(), 2 * (iterations.size() - 1));  // the data and the target
  EXPECT_GT(since(last_marker()).h2d_bytes, 0);
  desk().click("knob.feed.resident");
  expect_marker(2);
  wait_for_iterations_since_marker(4);
  EXPECT_EQ(since(last_marker()).h2d_bytes, 0);
}

TEST_F(KnobsTest, PinnedMemoryIsWhatTheCopiesComeFrom) {
  run({"feed=per-iteration"});
  ASSERT_TRUE(desk().until([&] { return !events_since(LaneKind::CopyH2D, 0).empty(); }));
  desk().click("knob.pinned");
  EXPECT_TRUE(settings().boolean("pinned"));
  expect_marker(1);
  EXPECT_EQ(markers().back(), "pinned memory false → true");
  wait_for_iterations_since_marker(4);
  const auto source = [](const Event& copy) { return trace::copy_traits_of(copy).source; };
  for (const Event& copy : events_since(LaneKind::CopyH2D, 0)) {
    // A copy that is under way when the knob is turned belongs to the iteration before.
    if (copy.end_ns <= last_marker()) {
      EXPECT_EQ(source(copy), trace::MemoryKind::Pageable);
    }
    if (copy.start_ns >= last_marker()) {
      EXPECT_EQ(source(copy), trace::MemoryKind::Pinned);
    }
  }
  desk().click("knob.pinned");
  EXPECT_FALSE(settings().boolean("pinned"));
}

TEST_F(KnobsTest, NonBlockingCopiesDoNotSynchronise) {
  run({"feed=per-iteration", "pinned=true", "log_interval=0"});
  wait_for_iterations(6);
  desk().click("knob.non_blocking");
  EXPECT_TRUE(settings().boolean("non_blocking"));
  expect_marker(1);
  EXPECT_EQ(markers().back(), "non-blocking copy false → true");
  const analysis::Summary blocking = before(last_marker());
  EXPECT_GE(blocking.sync_count, 2 * (blocking.iteration.count - 1));
  wait_for_iterations_since_marker(5);
  EXPECT_EQ(since(last_marker()).sync_count, 0);
}

TEST_F(KnobsTest, ALargerBatchIsMoreWorkPerKernel) {
  const auto forward_ns = [&](Nanoseconds from, Nanoseconds to) {
    double sum = 0;
    int count = 0;
    for (const Event& e : events_since(LaneKind::Kernels, from)) {
      if (e.end_ns > to || model().trace().names().text(e.name) != "linear_forward") continue;
      sum += static_cast<double>(e.duration());
      ++count;
    }
    return count ? sum / count : 0;
  };
  const auto spec = *settings().spec("batch_size");
  desk().drag(slider_point("batch_size", 128), slider_point("batch_size", spec.maximum));
  EXPECT_EQ(settings().integer("batch_size"), static_cast<std::int64_t>(spec.maximum));
  ASSERT_TRUE(desk().until([&] { return !markers().empty() && markers().back().ends_with("→ 8192"); }));
  EXPECT_THAT(markers().front(), StartsWith("batch size 128 → "));
  model().set_speed(1);
  wait_for_iterations_since_marker(4);
  const Nanoseconds first = model().analysis().markers().front().start_ns;
  const Nanoseconds second_iteration = events_since(LaneKind::Iterations, last_marker())[1].start_ns;
  EXPECT_GT(forward_ns(second_iteration, model().live_edge()), 5 * forward_ns(0, first));
}

TEST_F(KnobsTest, AHigherDispatchCostMakesIterationsLonger) {
  const auto spec = *settings().spec("dispatch_us");
  desk().drag(slider_point("dispatch_us", settings().real("dispatch_us")), slider_point("dispatch_us", spec.maximum));
  EXPECT_DOUBLE_EQ(settings().real("dispatch_us"), spec.maximum);
  ASSERT_TRUE(desk().until([&] { return !markers().empty() && markers().back().ends_with("→ 200"); }));
  EXPECT_THAT(markers().front(), StartsWith("dispatch cost 10 → "));
  model().set_speed(0.1);
  wait_for_iterations_since_marker(4);
  const Nanoseconds first = model().analysis().markers().front().start_ns;
  // Nine launches and a read of 190 us more each.
  EXPECT_NEAR(since(last_marker()).iteration.mean_ns - before(first).iteration.mean_ns, 10 * 190e3, 0.15 * 10 * 190e3);
}

TEST_F(KnobsTest, AnotherSeedStartsTheWeightsAnew) {
  const auto set_up_phases = [&](Nanoseconds from) {
    int count = 0;
    for (const Event& e : events_since(LaneKind::Phases, from)) {
      count += model().trace().names().text(e.name) == "set up" ? 1 : 0;
    }
    return count;
  };
  desk().click("more.seed");
  EXPECT_EQ(settings().integer("seed"), 2);
  expect_marker(1);
  EXPECT_EQ(markers().back(), "seed 1 → 2");
  ASSERT_TRUE(desk().until([&] { return set_up_phases(last_marker()) == 1; }));
  desk().click("less.seed");
  EXPECT_EQ(settings().integer("seed"), 1);
}

TEST_F(KnobsTest, AValueCanBeTyped) {
  const auto mode = state().view.mode();
  desk().click("value.log_interval");
  EXPECT_EQ(state().knob_editing.setting, "log_interval");
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().WantTextInput; }));
  desk().type("231");
  EXPECT_EQ(settings().integer("log_interval"), 1) << "not before it is entered";
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return settings().integer("log_interval") == 231; }));
  EXPECT_TRUE(state().knob_editing.setting.empty());
  EXPECT_EQ(state().view.mode(), mode) << "1, 2 and 3 are keys only where no text is typed";
  expect_marker(1);
  EXPECT_EQ(markers().back(), "log interval 1 → 231");
}

TEST_F(KnobsTest, ABadValueIsRefusedInWords) {
  const workload::Settings before = settings();
  for (const char* bad : {"banana", "-5", "9999999", "1.5"}) {
    state().toast.reset();
    desk().click("value.log_interval");
    ASSERT_TRUE(desk().until([] { return ImGui::GetIO().WantTextInput; }));
    desk().type(bad);
    desk().key(key::Enter);
    ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); })) << bad;
    EXPECT_TRUE(state().toast->error);
    EXPECT_THAT(state().toast->text, HasSubstr("log_interval"));
    EXPECT_EQ(state().toast->text.find('\n'), std::string::npos);
    EXPECT_TRUE(settings() == before) << bad;
  }
  EXPECT_TRUE(markers().empty());
}

TEST_F(KnobsTest, EscapeLeavesTheFieldWithoutAChange) {
  desk().click("value.batch_size");
  ASSERT_TRUE(desk().until([] { return ImGui::GetIO().WantTextInput; }));
  desk().type("77");
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return state().knob_editing.setting.empty(); }));
  EXPECT_EQ(settings().integer("batch_size"), 128);
  EXPECT_FALSE(state().toast.has_value());
}

TEST_F(KnobsTest, KeysTurnTheKnobsToo) {
  desk().key(key::RightBracket);
  EXPECT_EQ(settings().integer("log_interval"), 2);
  desk().key(key::RightBracket);
  EXPECT_EQ(settings().integer("log_interval"), 5);
  desk().key(key::LeftBracket);
  EXPECT_EQ(settings().integer("log_interval"), 2);
  desk().key(key::P);
  EXPECT_FALSE(settings().boolean("pinned")) << "nothing is copied: it has no effect, and says so";
  ASSERT_TRUE(state().toast);
  EXPECT_EQ(state().toast->text, "No effect now: no batch is copied while the feed is resident.");
  desk().key(key::B);
  EXPECT_EQ(settings().choice("feed"), "per-iteration");
  desk().key(key::P);
  EXPECT_TRUE(settings().boolean("pinned"));
  desk().key(key::N);
  EXPECT_TRUE(settings().boolean("non_blocking"));
  desk().key(key::B);
  EXPECT_EQ(settings().choice("feed"), "resident");
  // At the ends they stay where they are.
  desk().key(key::LeftBracket);
  desk().key(key::LeftBracket);
  EXPECT_EQ(settings().integer("log_interval"), 1);
}

}  // namespace
}  // namespace lanescope::ui_test
