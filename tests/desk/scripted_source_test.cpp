// A source that the window has never heard of: another process, whose events come by a script. It grows, knows its open
// calls and how its capture goes, and cannot be steered, paused or restarted. No panel knows more than that.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "desk/desk.h"
#include "model/source/source.h"
#include "shell/palette_list.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using trace::EventKind;
using trace::LaneKind;
using ui::Action;

constexpr Nanoseconds kMs = 1'000'000, kUs = 1'000;

// Every millisecond an iteration: a launch, its kernel of 500 µs, and item(), which waits until the kernel has ended.
class ScriptedSource final : public ui::Source, private ui::Growth, private ui::OpenCalls, private ui::CaptureMonitor {
 public:
  ScriptedSource() {
    iterations_ = lane(LaneKind::Iterations, 0);
    calls_ = lane(LaneKind::Calls, 0);
    kernels_ = lane(LaneKind::Kernels, 7);
  }

  const trace::Trace& trace() const override { return trace_; }
  trace::RunFacts facts() const override {
    trace::RunFacts facts;
    facts.device = "cuda:3";
    facts.device_name = "NVIDIA H200";
    facts.version.clear();
    return facts;
  }
  std::string title() const override { return "train.py"; }
  device::DeviceInfo device() const override {
    device::DeviceInfo info;
    info.name = "NVIDIA H200";
    return info;
  }
  ui::SourceWords words() const override { return {"another program", "SCRIPTED PROGRAM", "It runs by itself."}; }
  bool own() const override { return false; }
  Growth* growth() override { return this; }
  OpenCalls* open_calls() override { return this; }
  CaptureMonitor* capture_monitor() override { return this; }

  /// What the window has asked for.
  bool started = false, ended = false;

  void play(int iterations) {
    for (int i = 0; i < iterations; ++i, ++played_) {
      const Nanoseconds at = played_ * kMs;
      const auto correlation = static_cast<std::uint32_t>(played_ + 1);
      write(calls_, EventKind::Call, "cudaLaunchKernel", at + 50 * kUs, at + 60 * kUs, correlation, trace::kLaunchFlag);
      write(kernels_, EventKind::Kernel, "gemm", at + 70 * kUs, at + 570 * kUs, correlation, 0);
      write(calls_, EventKind::Call, "cudaStreamSynchronize", at + 100 * kUs, at + 600 * kUs, 0, trace::kSyncFlag);
      write(iterations_, EventKind::Range, "iteration", at, at + kMs, 0, 0);
    }
    trace_.publish();
    trace_.set_complete_until(played_ * kMs);
  }
  /// The last call does not return.
  void hang() { hangs_ = true; }
  void fail(std::string why) { why_ = std::move(why); }

 private:
  trace::LaneId lane(LaneKind kind, int stream) {
    trace::LaneInfo info;
    info.kind = kind;
    info.process = "python3";
    info.pid = 4711;
    info.tid = trace::is_cpu_lane(kind) ? 4711 : 0;
    info.device = 3;
    info.stream = stream;
    return trace_.add_lane(info);
  }
  void write(trace::LaneId lane, EventKind kind, const char* name, Nanoseconds from, Nanoseconds to,
             std::uint32_t correlation, std::uint16_t flags) {
    trace::Event e;
    e.lane = lane;
    e.kind = kind;
    e.name = trace_.names().intern(name);
    e.start_ns = from;
    e.end_ns = to;
    e.correlation = correlation;
    if (kind == EventKind::Range) {
      trace::set_range_kind(e, trace::RangeKind::Iteration);
    } else {
      e.flags = static_cast<decltype(e.flags)>(flags);
    }
    trace_.append(e);
  }

  void start() override { started = true; }
  void end() override { ended = true; }
  bool running() const override { return why_.empty(); }
  Nanoseconds live_edge_ns() const override { return played_ * kMs; }
  Nanoseconds now_ns() const override { return played_ * kMs + (hangs_ ? 5 * kMs : 0); }
  std::optional<ui::RunNotice> notice() const override { return ui::run_notice(false, why_); }
  void set_memory_cap(std::size_t bytes) override { trace_.set_memory_cap_bytes(bytes); }
  std::vector<trace::OpenCall> calls() const override {
    if (!hangs_) return {};
    return {{calls_, trace_.names().intern("cudaStreamSynchronize"), played_ * kMs}};
  }
  trace::CaptureHealth health() const override {
    trace::CaptureHealth health;
    health.state = trace::CaptureState::Degraded;
    health.reason = "the program writes faster than it is read";
    health.dropped = 12;
    return health;
  }
  double recorder_latency_ms() const override { return 40; }
  std::string no_gpu() const override { return {}; }

  mutable trace::Trace trace_;
  trace::LaneId iterations_ = 0, calls_ = 0, kernels_ = 0;
  std::int64_t played_ = 0;
  bool hangs_ = false;
  std::string why_;
};

class ScriptedSourceTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    const std::uint64_t before = model().generation();
    ui::Recipe recipe;
    recipe.make = [this] {
      auto source = std::make_unique<ScriptedSource>();
      script_ = source.get();
      return source;
    };
    state().requests.source = recipe;
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    script_->play(40);
    ASSERT_TRUE(desk().until([&] { return model().analysis().records().size() == 40; }));
    desk().frames(10);
  }

  ScriptedSource* script_ = nullptr;  // the window's
};

TEST_F(ScriptedSourceTest, IsShownAsItGrows) {
  EXPECT_TRUE(script_->started);
  EXPECT_TRUE(model().live());
  EXPECT_TRUE(model().running());
  EXPECT_EQ(model().steering(), nullptr);
  ASSERT_TRUE(desk().until([&] { return model().recent().iteration.count > 0 && model().recent_is_current(); }));
  // 500 of 1,000 µs; an iteration takes 1 ms.
  EXPECT_NEAR(model().recent().pace.ns, 1e6, 1);
  EXPECT_EQ(model().recent().verdict.kind, analysis::VerdictKind::SyncBound);
  script_->play(10);
  EXPECT_TRUE(desk().until([&] { return model().analysis().records().size() == 50; }));
  EXPECT_EQ(model().live_edge(), 50 * kMs);
}

TEST_F(ScriptedSourceTest, OffersNothingThatItCannotDo) {
  EXPECT_TRUE(desk().has_place("timeline"));
  EXPECT_TRUE(desk().has_place("trigger_chip")) << "the scope is there";
  for (const char* button : {"pause", "restart", "speed"}) EXPECT_FALSE(desk().has_place(button)) << button;
  EXPECT_EQ(why_without_effect(state(), Action::PauseRun), "it cannot be paused");
  EXPECT_EQ(why_without_effect(state(), Action::RestartRun), "it cannot be restarted from here");
  EXPECT_EQ(why_without_effect(state(), Action::Faster), "this device runs in real time");
  for (const Action action : {Action::TogglePinned, Action::FewerReads, Action::FlipSide}) {
    EXPECT_EQ(why_without_effect(state(), action), "its settings cannot be changed from here");
  }
  EXPECT_FALSE(model().restart());
}

TEST_F(ScriptedSourceTest, EveryActionIsHarmless) {
  const std::uint64_t shown = model().generation();
  for (const ui::ActionInfo& action : ui::actions()) {
    // The first minute starts a run.
    if (action.action == Action::Quit || action.action == Action::FullScreen || action.action == Action::FirstMinute) {
      continue;
    }
    SCOPED_TRACE(action.name);
    state().requests.actions.push_back(action.action);
    script_->play(1);
    desk().frames(3);
    ASSERT_TRUE(desk().until([&] { return !state().pictures.saving.busy(); }));
    ASSERT_EQ(model().generation(), shown) << "it was replaced";
    EXPECT_FALSE(script_->ended);
    for (int i = 0; i < 4; ++i) {
      state().requests.actions.push_back(Action::ClearSelection);
      desk().frames(1);
    }
    state().presentation.on = false;
  }
  state().preferences.theme = ui::ThemeName::Dark;
  state().preferences.font_scale = 1;
  state().preferences.language = base::Language::English;
  state().preferences.animation = true;
}

TEST_F(ScriptedSourceTest, ItsOpenCallAndItsLossesAreTold) {
  script_->hang();
  ASSERT_TRUE(desk().until([&] { return model().open_calls().size() == 1; }));
  EXPECT_EQ(model().now(), 45 * kMs);
  EXPECT_EQ(model().capture().health.dropped, 12u);
  EXPECT_THAT(ui::capture_status(model().capture()).text, HasSubstr("12"));
  EXPECT_TRUE(ui::capture_status(model().capture()).warning);
}

TEST_F(ScriptedSourceTest, WhenItFailsTheTraceStaysAndAnotherRunCanBegin) {
  script_->fail("it was killed");
  ASSERT_TRUE(desk().until([&] { return model().notice().has_value(); }));
  EXPECT_EQ(model().notice()->text, "it was killed");
  EXPECT_TRUE(desk().until([&] { return desk().has_place("notice"); }));
  EXPECT_FALSE(desk().has_place("notice.again")) << "it cannot be restarted";
  EXPECT_EQ(model().trace().counts().recorded, 160u);
  EXPECT_FALSE(model().running());
  run({});  // waits for its first iterations
  EXPECT_NE(model().steering(), nullptr);
}

}  // namespace
}  // namespace lanescope::ui_test
