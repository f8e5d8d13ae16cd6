#include "picture/sweep_chart.h"

#include <gmock/gmock.h>
#include <imgui.h>

#include "base/error.h"
#include "device/catalogue.h"
#include "model/experiment/sweep_state.h"
#include "render/canvas.h"
#include "render/draw_pictures.h"
#include "render/imgui_image.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using experiment::SweepPoint;
using experiment::SweepSpec;
using testing::ElementsAre;
using testing::HasSubstr;

std::vector<SweepPoint> points_of(std::initializer_list<double> values) {
  std::vector<SweepPoint> points;
  for (const double value : values) {
    SweepPoint& point = points.emplace_back();
    point.at = {"1"};
    point.done = value != 0;
    if (value != 0) point.value = value;
  }
  return points;
}

SweepSpec spec_over(std::vector<experiment::Axis> axes) {
  SweepSpec spec;
  spec.workload = "linear-mse";
  spec.device = "sim:teaching";
  spec.axes = std::move(axes);
  return spec;
}

// The largest value is 90, with an eighth of room above: 100.8, in steps of 20: the first of 1, 2, 5 times a power of
// ten that is not below 100.8 / 6 = 16.8. So to 120.
TEST(ValueScale, ReachesFromZeroToARoundNumber) {
  const ValueScale scale = value_scale(points_of({90, 0, 30}), false);
  EXPECT_FALSE(scale.logarithmic);
  EXPECT_DOUBLE_EQ(scale.high, 120);
  EXPECT_THAT(scale.ticks(), ElementsAre(0, 20, 40, 60, 80, 100, 120));
  EXPECT_FLOAT_EQ(scale.place(60), 0.5f);
}

TEST(ValueScale, IsLogarithmicWhenTheValuesAreFarApart) {
  const ValueScale scale = value_scale(points_of({2, 150}), false);
  ASSERT_TRUE(scale.logarithmic);
  EXPECT_THAT(scale.ticks(), ElementsAre(1, 10, 100, 1000));
  EXPECT_FLOAT_EQ(scale.place(10), 1.0f / 3);
}

TEST(ValueScale, OfRatiosShowsWhereBothAreEqual) {
  EXPECT_GT(value_scale(points_of({0.2, 0.3}), true).high, 1);
  EXPECT_TRUE(value_scale(points_of({100, 200}), true).logarithmic);  // 200 / 1
}

TEST(SweepTexts, AreShortAndTellTheUnit) {
  const workload::SettingSpec size{.key = "bytes", .is_size = true}, interval{.key = "n", .zero_is_never = true},
      plain{.key = "rows"};
  EXPECT_EQ(axis_value_text(&size, "65536"), "64 KiB");
  EXPECT_EQ(axis_value_text(&size, "1600000000"), "1.6 GB");
  EXPECT_EQ(axis_value_text(&interval, "0"), "never");
  EXPECT_EQ(axis_value_text(&plain, "2048"), "2,048");
  EXPECT_EQ(axis_value_text(nullptr, "sim:h200"), "sim:h200");
  EXPECT_EQ(sweep_value_text(842.4, "µs"), "842 µs");
  EXPECT_EQ(sweep_value_text(1.3512, "x"), "1.35 ×");
  EXPECT_EQ(sweep_value_text(12345.6, "µs"), "12,346 µs");
  EXPECT_EQ(sweep_value_text(0.5, ""), "0.500");
  EXPECT_EQ(sweep_value_text(4, "µs"), "4 µs");
  const SweepTexts texts = sweep_texts(spec_over({{"log_interval", {"1", "10"}}}), "µs", {});
  EXPECT_EQ(texts.axes.at(0), "Log interval");
  EXPECT_THAT(texts.value, HasSubstr("µs"));
}

TEST(SweepDraft, SuggestsWhatASettingAllows) {
  const auto settings = workload::default_settings("linear-mse", device::describe_device("sim:teaching"));
  EXPECT_EQ(suggested_values(*settings.spec("pinned")), "false, true");
  EXPECT_EQ(suggested_values(*settings.spec("feed")), "resident, per-iteration");
  // Twelve stops thinned to eight, the first and the last among them.
  EXPECT_EQ(suggested_values(*settings.spec("log_interval")), "0, 1, 5, 10, 50, 100, 500, 2000");
  // A quarter of 128, and twice as much five times.
  EXPECT_EQ(suggested_values(*settings.spec("batch_size")), "32, 64, 128, 256, 512, 1024");
}

TEST(SweepDraft, IsCheckedBeforeItRuns) {
  SweepDraft draft;
  draft.axes[0] = {"log_interval", "1, 10"};
  draft.iterations = "50";
  const SweepSpec spec = spec_of(draft, "linear-mse", "sim:teaching", {"feed=resident"});
  EXPECT_THAT(spec.axes.at(0).values, ElementsAre("1", "10"));
  EXPECT_EQ(spec.iterations, 50u);
  draft.iterations = "none";
  EXPECT_THROW(spec_of(draft, "linear-mse", "sim:teaching", {}), base::UsageError);
  draft.iterations = "50";
  draft.axes[0].values = "1,,2";
  EXPECT_THROW(spec_of(draft, "linear-mse", "sim:teaching", {}), base::UsageError);
}

class SweepChartTest : public CanvasTest {
 protected:
  std::optional<std::size_t> hit_at(const SweepSpec& spec, const std::vector<SweepPoint>& points, float x, float y) {
    std::optional<std::size_t> hit;
    const SweepTexts texts = sweep_texts(spec, "µs", points);
    render_imgui_offscreen(400, 300, 1, ThemeName::Dark, [&](const Fonts& fonts) {
      hit = draw_sweep_chart(*ImGui::GetBackgroundDrawList(), fonts, theme(ThemeName::Dark), 1,
                             {spec, points, texts, std::nullopt}, {0, 0, 400, 300}, x, y);
    });
    return hit;
  }
};

// The plot reaches from 104 to 104 + 400 - 116 = 388: four points of 71 pixels each.
TEST_F(SweepChartTest, OfOneAxisFindsThePointUnderTheMouse) {
  const SweepSpec spec = spec_over({{"log_interval", {"1", "10", "100", "1000"}}});
  const auto points = points_of({4, 3, 2, 1});
  EXPECT_EQ(hit_at(spec, points, 104 + 10, 100), 0u);
  EXPECT_EQ(hit_at(spec, points, 104 + 71 * 2 + 35, 100), 2u);
  EXPECT_EQ(hit_at(spec, points, 50, 100), std::nullopt);
}

TEST_F(SweepChartTest, OfTwoAxesFindsTheCellUnderTheMouse) {
  const SweepSpec spec = spec_over({{"log_interval", {"1", "10"}}, {"batch_size", {"8", "16"}}});
  const auto points = points_of({4, 3, 2, 0});
  // Rows are below each other: the first axis; the second runs fastest.
  EXPECT_EQ(hit_at(spec, points, 380, 80), 1u);
  EXPECT_EQ(hit_at(spec, points, 100, 240), 2u);
}

// Pinned or not: one line each, and the nearer one is selected. The plot is 200 pixels high from 40 on, and the scale
// goes to 5: 4 is at 80, 1 at 200.
TEST_F(SweepChartTest, OfAFewNamesDrawsALineEach) {
  const SweepSpec spec = spec_over({{"pinned", {"false", "true"}}, {"log_interval", {"1", "10"}}});
  const auto points = points_of({4, 4, 1, 1});
  EXPECT_EQ(hit_at(spec, points, 110, 90), 0u);
  EXPECT_EQ(hit_at(spec, points, 110, 190), 2u);
  EXPECT_EQ(hit_at(spec, points, 380, 190), 3u);
}

// Three values on two lines: each value has its own label. The third is from 104 + 2 * 95 on.
TEST_F(SweepChartTest, OfAFewNamesHasMoreValuesThanLines) {
  const SweepSpec spec = spec_over({{"pinned", {"false", "true"}}, {"log_interval", {"1", "10", "100"}}});
  EXPECT_EQ(hit_at(spec, points_of({4, 4, 4, 1, 1, 1}), 350, 190), 5u);
}

TEST_F(SweepChartTest, PictureCarriesItsValues) {
  const SweepSpec spec = spec_over({{"log_interval", {"1", "10"}}});
  auto points = points_of({4, 3});
  points[1].at = {"10"};
  const SweepPicture picture{spec, points, "µs", "", ThemeName::Light, 1};
  const io::Image image = draw_sweep_picture(picture);
  EXPECT_GT(image.width, 1000u);
  const auto text = sweep_picture_text(picture);
  EXPECT_EQ(text.at("Description"), "log_interval=1 4 µs; log_interval=10 3 µs");
  EXPECT_EQ(text.at("simulated"), "true");
}

}  // namespace
}  // namespace lanescope::ui
