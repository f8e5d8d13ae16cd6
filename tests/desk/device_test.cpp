// The device menu, capture health, recorded runs, and what a GPU does to the window. The GPUs are made up.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/platform/system.h"
#include "desk/gpu_desk.h"
#include "io/scratch.h"
#include "io/trace_file.h"
#include "model/source/memory_cap.h"
#include "picture/words.h"

namespace lanescope::ui_test {
namespace {

using testing::HasSubstr;
using trace::CaptureState;

class DeviceTest : public DeskTest {
 protected:
  void SetUp() override {
    auto& recording = *fake_gpus().backend.recording;
    recording.health = {};
    recording.health.state = CaptureState::Running;
    recording.health.library = "made-up CUPTI";
    recording.open.clear();
    for (int i = 0; i < 2; ++i) fake_gpus().backend.gpu(i)->forget_error();
    desk().go_by_the_clock();
    DeskTest::SetUp();
  }
  void TearDown() override {
    fake_gpus().backend.recording->open.clear();
    if (!model().live() || !model().simulated()) run({});
  }
  bool comes(const std::string& device) {
    return desk().until([&] { return model().live() && model().source().device().id == device; });
  }
  void switch_to(const std::string& device) {
    desk().click("badge");
    desk().click("device." + device);
  }
  void run_on_gpu(int gpu) {
    switch_to("cuda:" + std::to_string(gpu));
    ASSERT_TRUE(comes("cuda:" + std::to_string(gpu))) << (state().toast ? state().toast->text : "no toast");
    wait_for_iterations(5);
  }
};

TEST_F(DeviceTest, TheMenuListsAllAndSwitchesWithTheMouse) {
  desk().click("badge");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("device.cuda:0"); }));
  for (const char* entry : {"device.cuda:1", "device.sim:rtx4090", "device.sim:rtx4070-laptop-wsl2"}) {
    EXPECT_TRUE(desk().has_place(entry)) << entry;
  }
  // GPUs first, and all of it on the screen, under the badge.
  EXPECT_LT(desk().place("device.cuda:1").y, desk().place("device.sim:rtx4090").y);
  const Rect last = desk().place("device.sim:teaching");
  EXPECT_LT(last.x + last.width, 1440);
  EXPECT_GT(last.y, desk().place("badge").y + desk().place("badge").height);
  desk().click("device.sim:teaching");
  ASSERT_TRUE(comes("sim:teaching"));
  EXPECT_TRUE(model().simulated());
  wait_for_iterations(10);
  EXPECT_EQ(model().steering()->workload().name, "linear-mse");
  desk().frames(2);
  EXPECT_FALSE(desk().has_place("device.sim:teaching")) << "the menu stayed open";
}

// What the person turned goes along; what the framework costs there is that device's own.
TEST_F(DeviceTest, ASwitchKeepsTheSettings) {
  desk().key(key::RightBracket);
  desk().key(key::B);
  ASSERT_EQ(settings().integer("log_interval"), 2);
  model().set_speed(0.1);
  EXPECT_DOUBLE_EQ(settings().real("dispatch_us"), 10);
  switch_to("sim:h200");
  ASSERT_TRUE(comes("sim:h200"));
  EXPECT_EQ(settings().integer("log_interval"), 2);
  EXPECT_EQ(settings().choice("feed"), "per-iteration");
  EXPECT_LT(settings().real("dispatch_us"), 5);  // the device's own
  EXPECT_DOUBLE_EQ(model().speed(), 0.1);
}

TEST_F(DeviceTest, TheKeyOpensTheMenuAndEscapeClosesIt) {
  desk().act(ui::Action::DeviceMenu);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("device.sim:teaching"); }));
  const std::uint64_t before = model().generation();
  desk().key(key::Escape);
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("device.sim:teaching"); }));
  EXPECT_EQ(model().generation(), before);
  desk().act(ui::Action::DeviceMenu);
  ASSERT_TRUE(desk().until([&] { return state().device_menu.open; }));
  desk().act(ui::Action::DeviceMenu);
  EXPECT_TRUE(desk().until([&] { return !state().device_menu.open; }));
  // The one that runs is no switch.
  desk().act(ui::Action::DeviceMenu);
  desk().click("device.sim:rtx4090");
  desk().frames(3);
  EXPECT_EQ(model().generation(), before);
}

TEST_F(DeviceTest, ADeviceThatCannotBeHadIsNamedAndTheOldRunGoesOn) {
  const std::uint64_t before = model().generation();
  fake_gpus().backend.absent = true;
  switch_to("cuda:1");
  const bool told = desk().until([&] { return state().toast && state().toast->error; });
  fake_gpus().backend.absent = false;
  ASSERT_TRUE(told);
  EXPECT_THAT(state().toast->text, HasSubstr("cuda:1"));
  EXPECT_EQ(model().generation(), before);
  EXPECT_EQ(model().source().device().id, "sim:rtx4090");
  wait_for_iterations(model().analysis().records().size() + 5);
}

TEST_F(DeviceTest, AGpuRunsInRealTime) {
  run_on_gpu(0);
  desk().frames(2);
  EXPECT_FALSE(model().simulated());
  EXPECT_DOUBLE_EQ(model().speed(), 1);
  EXPECT_EQ(ui::badge_text(model().facts(), true), "GPU · Fake GPU 0");
  EXPECT_FALSE(desk().has_place("speed")) << "there is no speed to be set";
  EXPECT_TRUE(desk().has_place("pause"));
  desk().key(key::Comma);
  EXPECT_DOUBLE_EQ(model().speed(), 1);
  EXPECT_EQ(model().capture().health.library, "made-up CUPTI");
  // Back to a simulated one: at the speed it had.
  switch_to("sim:rtx4090");
  ASSERT_TRUE(comes("sim:rtx4090"));
  EXPECT_DOUBLE_EQ(model().speed(), ui::kWindowSpeed);
  desk().frames(2);
  EXPECT_TRUE(desk().has_place("speed"));
}

// Only one capture can run: the first run ends before the second begins.
TEST_F(DeviceTest, FromOneGpuToTheOther) {
  const int too_many = fake_gpus().captures_too_many;
  run_on_gpu(0);
  desk().key(key::RightBracket);
  run_on_gpu(1);
  EXPECT_EQ(settings().integer("log_interval"), 2);
  const std::uint64_t before = model().generation();
  desk().key(key::R);
  ASSERT_TRUE(desk().until([&] { return model().generation() > before; }));
  wait_for_iterations(5);
  EXPECT_EQ(model().source().device().id, "cuda:1");
  EXPECT_EQ(fake_gpus().captures_too_many, too_many);
  // Neither the new one nor the old one can be had any more: that stays said, until it is tried again.
  fake_gpus().backend.absent = true;
  switch_to("cuda:0");
  const bool told = desk().until([&] { return state().toast && state().toast->error; });
  EXPECT_TRUE(told);
  EXPECT_FALSE(model().live());
  desk().frames(2);
  EXPECT_TRUE(desk().has_place("notice.again")) << "nothing could be started, and that is said";
  fake_gpus().backend.absent = false;
  desk().click("notice.again");
  EXPECT_TRUE(comes("cuda:0"));
  wait_for_iterations(5);
}

TEST_F(DeviceTest, ALostDeviceLeavesItsTraceAndCanBeRestarted) {
  auto& gpu = *fake_gpus().backend.gpu(0);
  gpu.fail("launch", 300, 700);
  switch_to("cuda:0");
  ASSERT_TRUE(comes("cuda:0"));
  ASSERT_TRUE(desk().until([&] { return desk().has_place("notice"); }));
  ASSERT_TRUE(model().notice().has_value());
  EXPECT_EQ(model().notice()->title, "The device was lost");
  EXPECT_THAT(model().notice()->text, HasSubstr("cudaErrorIllegalAddress"));
  wait_for_iterations(4);  // the trace is still there
  const Rect notice = state().places.at("notice");
  const Rect timeline = state().places.at("timeline");
  EXPECT_LE(notice.y + notice.height, timeline.y + 1);
  desk().frames(20);
  EXPECT_TRUE(desk().has_place("notice")) << "it does not go by itself";
  EXPECT_TRUE(desk().has_place("lane.phase"));
  desk().click("notice.again");
  ASSERT_TRUE(desk().until([&] { return model().live() && !model().notice(); }));
  EXPECT_EQ(model().source().device().id, "cuda:0");
  wait_for_iterations(5);
  EXPECT_FALSE(desk().has_place("notice"));
}

// A call that does not come back: its bar grows, and the rolling view goes with it.
TEST_F(DeviceTest, AnOpenWaitIsSeenToGrow) {
  run_on_gpu(0);
  desk().act(ui::Action::Roll);
  auto& recording = *fake_gpus().backend.recording;
  trace::LaneInfo info;
  info.kind = trace::LaneKind::Calls;
  info.name = "CUDA calls";
  const trace::LaneId lane = recording.request.sink->lane(info);
  const trace::NameId name = recording.request.sink->name("cudaStreamSynchronize");
  model().set_paused(true);  // no more iterations: the live edge stands
  ASSERT_TRUE(desk().until([&] { return model().now() - model().live_edge() > ui::FollowedEdge::kFarBehind; }));
  recording.open = {{lane, name, model().live_edge() + 1'000'000}};
  // In the CPU's pane, if the lanes do not fit.
  const auto rows = [&]() -> const ui::SpanBatch& {
    return state().timeline.divided() ? state().timeline.scrolled()[0].rows : state().timeline.rows();
  };
  const auto bar = [&] {
    float width = 0;
    for (const ui::Span& s : rows().spans) {
      if (s.style == ui::SpanStyle::Hatched) width = std::max(width, s.x1 - s.x0);
    }
    return width;
  };
  ASSERT_TRUE(desk().until([&] { return bar() > 0 && axis().end_ns() >= model().now(); }));
  EXPECT_TRUE(desk().shell().animating());
  bool says = false;
  for (const ui::Label& label : rows().labels) says = says || label.text.find("so far") != std::string::npos;
  EXPECT_TRUE(says);
  const Nanoseconds end = axis().end_ns();
  ASSERT_TRUE(desk().until([&] { return axis().end_ns() > end + 100'000'000; }));
  EXPECT_GE(axis().end_ns(), model().now());
  recording.open.clear();
  ASSERT_TRUE(desk().until([&] { return bar() == 0; }));
}

// --- capture health -----------------------------------------------------------------------------------------------

TEST_F(DeviceTest, TheHealthPanelOpensByKeyAndByClick) {
  desk().act(ui::Action::CaptureHealth);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Health);
  EXPECT_TRUE(desk().until([&] { return desk().has_place("health"); }));
  desk().key(key::Escape);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Health);
  desk().click("status.capture");
  EXPECT_TRUE(desk().until([&] { return desk().has_place("close_health"); }));
  desk().click("close_health");
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Health);
  desk().frames(2);
  EXPECT_FALSE(desk().has_place("health"));
  // One overlay at a time.
  desk().act(ui::Action::CaptureHealth);
  desk().key(key::F1);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Help);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Health);
  desk().act(ui::Action::CaptureHealth);
  EXPECT_FALSE(state().overlays.open == ui::Overlay::Help);
  EXPECT_TRUE(state().overlays.open == ui::Overlay::Health);
}

TEST_F(DeviceTest, TheHealthOfAGpuFitsTheWindow) {
  auto& health = fake_gpus().backend.recording->health;
  health.state = CaptureState::Degraded;
  health.reason = "CUPTI dropped 214 records, because the program did not give it a buffer in time";
  health.dropped = 214;
  health.before_call = 3;
  health.worst_before_call_ns = 1800;
  run_on_gpu(1);
  desk().act(ui::Action::CaptureHealth);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("close_health"); }));
  desk().frames(3);
  const Rect close = desk().place("close_health");
  EXPECT_LT(close.y + close.height, 960) << "the button is on the screen";
  EXPECT_EQ(model().capture().health.dropped, 214u);
  EXPECT_TRUE(ui::capture_status(model().capture()).warning);
}

TEST_F(DeviceTest, TheMemoryForEventsIsChosenThere) {
  const auto cap = [&] { return model().trace().memory_cap_bytes(); };
  desk().act(ui::Action::CaptureHealth);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("health.memory.1 GB"); }));
  desk().click("health.memory.1 GB");
  EXPECT_TRUE(desk().until([&] { return cap() == 1'000'000'000; }));
  EXPECT_EQ(state().preferences.memory_gb, 1);
  desk().key(key::Escape);
  const std::uint64_t first = model().generation();
  desk().key(key::R);  // a new run keeps it
  ASSERT_TRUE(desk().until([&] { return model().generation() > first && model().running(); }));
  EXPECT_EQ(cap(), 1'000'000'000u);
  desk().act(ui::Action::CaptureHealth);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("health.memory.auto"); }));
  desk().click("health.memory.auto");
  EXPECT_TRUE(desk().until([&] { return cap() == ui::automatic_memory_cap(base::machine_memory_bytes()); }));
}

// --- recorded runs --------------------------------------------------------------------------------------------------

TEST_F(DeviceTest, ARecordedRunOpensFromTheMenu) {
  wait_for_iterations(12);
  trace::RunFacts facts = model().facts();
  facts.device = "cuda:0";
  facts.device_name = "NVIDIA H200";
  facts.simulated = false;
  facts.settings["log_interval"] = "5";
  const std::filesystem::path path = desk().home() / "small.json.gz";
  io::write_chrome_trace(path, model().trace(), facts);
  const std::string bytes = io::read_bytes(path);
  state().device_menu.recorded = {{"small", "NVIDIA H200, linear-mse, log interval 5", "Recorded by a test.", bytes}};
  switch_to("recorded:small");
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  EXPECT_EQ(model().title(), "NVIDIA H200, linear-mse, log interval 5");
  EXPECT_EQ(ui::badge_text(model().facts(), model().live()), "RECORDED · NVIDIA H200");
  EXPECT_GE(model().analysis().records().size(), 10u);
  desk().frames(1);  // it was taken at the end of the one before
  EXPECT_FALSE(desk().has_place("pause"));
  // It is marked, and from it a device starts the same.
  desk().click("badge");
  ASSERT_TRUE(desk().until([&] { return desk().has_place("device.recorded:small"); }));
  desk().click("device.sim:teaching");
  ASSERT_TRUE(comes("sim:teaching"));
  EXPECT_EQ(settings().integer("log_interval"), 5);
}

TEST_F(DeviceTest, AnUnknownRecordedRunIsNamed) {
  state().device_menu.recorded = {{"small", "title", "", "x"}};
  state().requests.files = {"recorded:other"};
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, HasSubstr("'recorded:other' is unknown; allowed: recorded:small"));
  EXPECT_TRUE(model().live());
}

}  // namespace
}  // namespace lanescope::ui_test
