// How both runs are drawn, in the window and in pictures, and how their view moves.
#include <gmock/gmock.h>

#include "io/scratch.h"
#include "model/compare/compare_view.h"
#include "picture/compare_picture.h"
#include "picture/xml.h"
#include "render/canvas.h"
#include "render/draw_pictures.h"
#include "render/imgui_image.h"
#include "timeline/drawn.h"

namespace lanescope::ui {
namespace {

using testing::AllOf;
using testing::HasSubstr;

// Five iterations of `length`, back to back, each with a kernel in its first half; the middle one is typical.
SharedSnapshot compared_run_of(Nanoseconds length, const std::string& log_interval, bool simulated = true) {
  trace::Trace trace;
  TraceBuilder build(trace);
  for (int i = 0; i < 5; ++i) {
    const Nanoseconds at = i * length;
    build.iteration(at, at + length);
    build.launch(at, at + length / 10, static_cast<std::uint32_t>(i + 1));
    build.kernel(at + length / 10, at + length / 2, static_cast<std::uint32_t>(i + 1));
  }
  build.publish();
  SnapshotPlan plan;
  plan.source = &trace;
  plan.to_ns = 5 * length;
  plan.summary = analysis::analyse(trace, 0, 5 * length);
  plan.title = "Linear and MSE";
  plan.facts.workload = "linear-mse";
  plan.facts.device = simulated ? "sim:rtx4090" : "cuda:0";
  plan.facts.device_name = simulated ? "RTX 4090" : "H200";
  plan.facts.simulated = simulated;
  plan.facts.settings = {{"log_interval", log_interval}, {"batch_size", "64"}};
  return take_snapshot(std::move(plan));
}

// The visible part of a sheet: every label with its layer's clip.
std::vector<std::string> compared_words_of(const PictureSheet& sheet) {
  std::vector<std::string> found;
  for (const PictureLayer& layer : sheet.layers) {
    for (const Label& label : layer.batch.labels) found.push_back(label.text);
  }
  return found;
}

std::vector<Span> spans_of_colour(const PictureSheet& sheet, std::uint32_t colour) {
  std::vector<Span> found;
  for (const PictureLayer& layer : sheet.layers) {
    for (const Span& span : layer.batch.spans) {
      if (span.colour == colour) found.push_back(span);
    }
  }
  return found;
}

class BandsTest : public testing::Test {
 protected:
  // The axis: 200 µs over 1000 pixels from x = 118 on, so that 1 µs is 5 pixels; 0 stands at 118.
  void compose(const SharedSnapshot& a, const SharedSnapshot& b, CompareAlign align, float height = 600) {
    with_picture_fonts(1, {}, [&](const Fonts& fonts) {
      Alignment::Side of_b;
      if (b) of_b = {b->iterations, b->typical};
      const Alignment alignment(align, {a->iterations, a->typical}, of_b);
      const SideTexts texts = side_texts(*a, b.get());
      const BandsScene scene{*a, b.get(), alignment, texts, colours, fonts, 1, "turn a knob"};
      sheet = {};
      places = bands.compose(scene, TimeAxis(0, 200, 118, 1000), {0, 0, 1134, height}, 0, sheet);
      hit = bands.hit(scene, TimeAxis(0, 200, 118, 1000), 118 + 100, kernels_y(kSideB));
      full = bands.height_at(scene, 1);
    });
  }
  // The kernels' lane is the last one.
  float kernels_y(std::size_t side) const { return places.lanes[side].y + places.lanes[side].height - 20; }

  const Theme& colours = theme(ThemeName::Dark);
  const SharedSnapshot slow = compared_run_of(100'000, "1"), fast = compared_run_of(60'000, "100");
  CompareBands bands;
  PictureSheet sheet;
  BandsPlaces places;
  std::optional<BandsHit> hit;
  float full = 0;
};

TEST_F(BandsTest, BothBeginTogetherAndABracketSaysHowMuchShorterBIs) {
  compose(slow, fast, CompareAlign::Iteration);
  // A's typical iteration goes from 118 to 618, B's to 418; half a pixel of air on both sides.
  const auto bar_of = [&](std::size_t side) {
    for (const Span& span : spans_of_colour(sheet, colours[side_colour(side)])) {
      if (span.y0 >= places.marks[side].y && span.y1 <= places.marks[side].y + places.marks[side].height) return span;
    }
    return Span{};
  };
  EXPECT_FLOAT_EQ(bar_of(kSideA).x0, 118.5f);
  EXPECT_FLOAT_EQ(bar_of(kSideA).x1, 617.5f);
  EXPECT_FLOAT_EQ(bar_of(kSideB).x1, 417.5f);
  // The time by which B is faster: from 418 to 618, over all its lanes; and in the next iteration, from 918 to 1118.
  const auto won = spans_of_colour(sheet, with_alpha(colours[Colour::Good], 0.14f));
  std::vector<std::pair<float, float>> in_view;
  for (const auto& [x0, x1] : edges(won)) {
    if (x1 > 118 && x0 < 1118) in_view.emplace_back(x0, x1);
  }
  EXPECT_THAT(in_view, testing::ElementsAre(std::pair(418.0f, 618.0f), std::pair(918.0f, 1118.0f)));
  const auto words = compared_words_of(sheet);
  EXPECT_THAT(words, testing::IsSupersetOf({"A", "B", "log interval 1", "log interval 100", "40 µs shorter", "100 µs",
                                            "60 µs", "kernel"}));
  // Lanes at least as high as by default, within the given area.
  EXPECT_EQ(places.overflow, 0);
  EXPECT_LE(places.lanes[kSideB].y + places.lanes[kSideB].height, 600);
  EXPECT_GT(full, 0);
  // 20 µs into B's typical iteration: its kernel, which began after 6 µs.
  ASSERT_TRUE(hit && hit->hit.event);
  EXPECT_EQ(hit->side, kSideB);
  EXPECT_EQ(hit->hit.event->event.kind, trace::EventKind::Kernel);
  EXPECT_EQ(hit->since_ns, 6'000);
}

TEST_F(BandsTest, ByTimeNothingIsWon) {
  compose(slow, fast, CompareAlign::Time);
  EXPECT_TRUE(spans_of_colour(sheet, with_alpha(colours[Colour::Good], 0.14f)).empty());
  EXPECT_THAT(compared_words_of(sheet), testing::Contains("40 µs shorter"));
  compose(fast, slow, CompareAlign::Iteration);
  EXPECT_THAT(compared_words_of(sheet), testing::Contains("40 µs longer"));
  EXPECT_FALSE(spans_of_colour(sheet, with_alpha(colours[Colour::Wait], 0.14f)).empty());
}

TEST_F(BandsTest, WithoutBItSaysWhatToDo) {
  compose(slow, nullptr, CompareAlign::Iteration);
  EXPECT_THAT(compared_words_of(sheet), AllOf(testing::Contains("turn a knob"), testing::Contains("Linear and MSE"),
                                              testing::Not(testing::Contains("40 µs shorter"))));
  EXPECT_FALSE(hit);
}

TEST_F(BandsTest, InLittleRoomLanesAreLowerAndThenScroll) {
  compose(slow, fast, CompareAlign::Iteration, 300);
  const float low = places.lanes[kSideA].height;
  EXPECT_EQ(places.overflow, 0);
  compose(slow, fast, CompareAlign::Iteration, 800);
  EXPECT_GT(places.lanes[kSideA].height, low);
  compose(slow, fast, CompareAlign::Iteration, 230);
  EXPECT_GT(places.overflow, 0);
  EXPECT_LE(places.lanes[kSideB].y + places.lanes[kSideB].height, 230);
}

class ComparePictureTest : public io::Scratch {
 protected:
  ComparePicture picture{compared_run_of(100'000, "1"), compared_run_of(60'000, "100"), CompareAlign::Iteration};
};

TEST_F(ComparePictureTest, IsForAPullRequest) {
  const std::string svg = draw_compare_svg(picture);
  EXPECT_EQ(xml_fault(svg), "");
  for (const char* says :
       {"Linear and MSE", "B is 40 µs shorter: 1.67x as fast, by elapsed time", "log interval 100", "SIMULATED",
        "batch_size 64", "40 µs shorter", "GPU busy", "simulated, not measured on a GPU"}) {
    EXPECT_THAT(svg, HasSubstr(says));
  }
  const auto text = compare_picture_text(picture);
  EXPECT_EQ(text.at("settings B"), "log interval 100");
  EXPECT_EQ(text.at("simulated A"), "true");
  EXPECT_THAT(text.at("table"), HasSubstr("| iteration | 100 µs | 60 µs | ↓ 40 µs |"));
  picture.scale = 1;
  const io::Image image = draw_compare_picture(picture);
  EXPECT_EQ(image.width, 1600);
  EXPECT_EQ(image.height, compare_picture_size(picture).height);
  EXPECT_EQ(draw_compare_picture(picture).pixels, image.pixels);
}

TEST_F(ComparePictureTest, WhatIsSimulatedSaysSoWithoutACaption) {
  const int high = compare_picture_size(picture).height;
  picture.caption = false;
  EXPECT_LT(compare_picture_size(picture).height, high);
  EXPECT_THAT(draw_compare_svg(picture), AllOf(HasSubstr("SIMULATED"), testing::Not(HasSubstr("batch_size"))));
  picture.caption = true;
  picture.b = compared_run_of(60'000, "100", false);
  EXPECT_THAT(draw_compare_svg(picture),
              AllOf(HasSubstr("A is simulated"), HasSubstr("(measured)"), HasSubstr("RTX 4090, log interval 1")));
  picture.scale = 9;
  EXPECT_THROW(draw_compare_picture(picture), base::UsageError);
}

// The state as in the window, without a model: A and B are set directly.
class CompareViewTest : public testing::Test {
 protected:
  void SetUp() override {
    state.put(compared_run_of(100'000, "1"), compared_run_of(60'000, "100"));
    update();
  }
  void update() { view.update(state, 100, 1000, 0.016, false); }

  CompareState state;
  CompareView view;
};

TEST_F(CompareViewTest, BeginsWithATypicalIterationAndMovesAsOne) {
  // From -5 µs to 130 µs in 1000 pixels.
  EXPECT_EQ(view.axis().begin_ns(), -5'000);
  EXPECT_NEAR(view.axis().ns_per_pixel(), 135, 0.1);
  const Nanoseconds there = view.axis().to_ns(400);
  view.zoom(2, 400);
  EXPECT_NEAR(view.axis().ns_per_pixel(), 67.5, 0.1);
  EXPECT_NEAR(static_cast<double>(view.axis().to_ns(400)), static_cast<double>(there), 2);
  view.pan(-100);
  EXPECT_NEAR(static_cast<double>(view.axis().to_ns(300)), static_cast<double>(there), 2);
  // Replacing B keeps the view; changing the alignment does not.
  const TimeAxis by_hand = view.axis();
  state.put(state.a(), compared_run_of(50'000, "0"));
  update();
  EXPECT_EQ(view.axis(), by_hand);
  EXPECT_EQ(view.texts().b, "log interval never");
  state.align = CompareAlign::Time;
  update();
  EXPECT_NE(view.axis(), by_hand);
}

TEST_F(CompareViewTest, StaysWithinWhatThereIs) {
  for (int i = 0; i < 100; ++i) view.zoom(0.5, 100);
  // Five iterations of 100 µs, and a tenth.
  EXPECT_NEAR(view.axis().span_ns(), 550'000, 1'000);
  for (int i = 0; i < 100; ++i) view.pan(-900);
  EXPECT_LE(view.axis().begin_ns(), view.alignment().end());
  for (int i = 0; i < 100; ++i) view.zoom(4, 600);
  EXPECT_GE(view.axis().ns_per_pixel(), CompareView::kMinNsPerPixel);
  view.fit();
  EXPECT_EQ(view.axis().begin_ns(), -5'000);
}

TEST_F(CompareViewTest, GlidesWhereAnimationIsOn) {
  const double before = view.axis().ns_per_pixel();
  view.update(state, 100, 1000, 0.016, true);
  view.zoom(2, 600);
  EXPECT_TRUE(view.moving());
  EXPECT_EQ(view.axis().ns_per_pixel(), before);
  view.update(state, 100, 1000, 0.016, true);
  EXPECT_LT(view.axis().ns_per_pixel(), before);
  for (int i = 0; i < 200 && view.moving(); ++i) view.update(state, 100, 1000, 0.016, true);
  EXPECT_FALSE(view.moving());
  EXPECT_NEAR(view.axis().ns_per_pixel(), before / 2, 0.1);
}

}  // namespace
}  // namespace lanescope::ui
