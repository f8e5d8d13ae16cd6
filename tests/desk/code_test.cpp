// The code in the window: what lights it, what a click on it does, what is remembered.
#include <gmock/gmock.h>

#include <fstream>

#include "base/time.h"
#include "desk/desk.h"

namespace lanescope::ui_test {
namespace {

using ui::CodeLight;
using ui::DrawerTab;

class CodeViewTest : public DeskTest {
 protected:
  void SetUp() override {
    DeskTest::SetUp();
    desk().point_at({4, 4});
    state().drawer = DrawerTab::Code;
    ASSERT_TRUE(desk().until([&] { return code().iterations() > 0 && code().cost(line("item()")) != nullptr; }));
  }
  ui::CodeState& code() { return state().code; }
  std::size_t line(const char* range) { return workload::statement_of(code().code(), range).value(); }
  std::string place(std::size_t i) { return "code." + std::to_string(i); }
  std::string name(const trace::Event& event) { return std::string(model().trace().names().text(event.name)); }
};

TEST_F(CodeViewTest, AClickOutlinesTheRangesAndGoesToTheLongest) {
  const std::size_t item = line("item()");
  desk().click(place(item));
  ASSERT_TRUE(state().selection.event.has_value());
  EXPECT_EQ(name(state().selection.event->event), "item()");
  EXPECT_EQ(code().chosen(), item);
  EXPECT_EQ(code().pointed_to(), item) << "the arrow";
  ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
  EXPECT_TRUE(axis().overlaps(state().selection.event->event.start_ns, state().selection.event->event.end_ns));
  desk().click(place(item));
  EXPECT_EQ(code().chosen(), std::nullopt);
  EXPECT_TRUE(state().selection.event.has_value()) << "the selection stays";
  desk().click(place(item));
  desk().key(key::Escape);
  desk().frames(2);
  EXPECT_EQ(code().chosen(), std::nullopt) << "with the selection its outlines go";
}

TEST_F(CodeViewTest, AKernelPointsToTheLineThatLaunchedIt) {
  hold_still();
  const auto kernels = events_in_view(trace::LaneKind::Kernels);
  ASSERT_FALSE(kernels.empty());
  desk().click(point_of(trace::LaneKind::Kernels, kernels[kernels.size() / 2]));
  ASSERT_TRUE(state().selection.event.has_value());
  desk().frames(2);
  ASSERT_TRUE(code().pointed_to().has_value());
  EXPECT_NE(*code().pointed_to(), line("item()")) << "it launches no kernel";
  EXPECT_EQ(code().light().basis, CodeLight::Basis::Instant);
}

TEST_F(CodeViewTest, IsLitByTheShareOfTimeAndWhereTheMousePoints) {
  EXPECT_EQ(code().light().basis, CodeLight::Basis::Share);
  ASSERT_TRUE(desk().until([&] { return code().light().lines[line("backward")] > 0.1f; }));
  hold_still();
  const auto items = events_in_view(trace::LaneKind::Phases);
  const auto forward = std::find_if(items.begin(), items.end(), [&](const auto& e) { return name(e) == "item()"; });
  ASSERT_NE(forward, items.end());
  desk().point_at(point_of(trace::LaneKind::Phases, *forward));
  EXPECT_TRUE(desk().until([&] { return code().light().lines[line("item()")] > 0.9f; }));
  EXPECT_EQ(code().light().basis, CodeLight::Basis::Instant);
}

TEST_F(CodeViewTest, ATurnOfAKnobChangesTheTextAtOnce) {
  EXPECT_EQ(model().assign({"log_interval=50"}), "");
  desk().frames(2);
  EXPECT_THAT(workload::plain_text(code().code()), testing::Contains("    if i % 50 == 0:"));
  ASSERT_EQ(code().changed().size(), 1u);
  EXPECT_GT(code().flashing(base::now()), 0);
  EXPECT_TRUE(desk().until([&] { return code().flashing(base::now()) == 0; }));
}

// As long as the loop is that of an experiment's side, the script says so.
// Another program's trace has no code to show: its tab is not there, and nobody stands before an empty one.
TEST_F(CodeViewTest, IsLeftWhereThereIsNone) {
  ASSERT_TRUE(desk().has_place("tab.code"));
  const std::filesystem::path path = desk().home() / "theirs.json";
  std::ofstream(path) << R"({"traceEvents": [{"ph": "X", "name": "k", "cat": "kernel", "pid": 0, "tid": 7, "ts": 1,
    "dur": 5, "args": {"stream": 7, "correlation": 1}}]})";
  state().requests.files = {path};
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  desk().frames(3);
  EXPECT_EQ(state().drawer, ui::DrawerTab::Plots);
  EXPECT_FALSE(desk().has_place("tab.code"));
}

TEST_F(CodeViewTest, IsCopiedAsAScript) {
  const auto copied = [&] {
    state().toast.reset();
    desk().act(ui::Action::CopyScript);
    EXPECT_TRUE(desk().until([&] { return state().toast.has_value(); }));
    EXPECT_THAT(state().toast->text, testing::StartsWith("copied as PyTorch: "));
    return std::string(ImGui::GetClipboardText());
  };
  EXPECT_EQ(model().assign({"log_interval=50"}), "");
  desk().frames(2);
  EXPECT_THAT(copied(), testing::AllOf(testing::StartsWith("\"\"\"Reading the loss every iteration\n"),
                                       testing::HasSubstr("\n        if i % 50 == 0:\n"),
                                       testing::HasSubstr("\nimport torch\n")));
  desk().shell().start_experiment("P09", experiment::Side::After);
  ASSERT_TRUE(desk().until([&] { return state().experiment.active && code().loop(); }));
  desk().frames(2);
  EXPECT_THAT(copied(), testing::HasSubstr("\n    \"experiment\": \"P09\",\n    \"side\": \"after\",\n"));
  EXPECT_EQ(model().assign({"batch_size=64"}), "");
  desk().frames(2);
  EXPECT_THAT(copied(), testing::Not(testing::HasSubstr("P09"))) << "another batch size is another program";
}

TEST(CodeViewDesk, IsRemembered) {
  Desk desk;
  desk.remember("tour_done = true\ncode_view = true");
  ui::WindowOptions options;
  options.frames_unlimited = true;
  options.session.device = "sim:rtx4090";
  desk.open(options);
  EXPECT_EQ(desk.state().drawer, DrawerTab::Code);
  EXPECT_TRUE(desk.until([&] { return desk.has_place("code.0"); }));
}

}  // namespace
}  // namespace lanescope::ui_test
