#include "picture/picture.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "analysis/summary.h"
#include "experiment/session.h"
#include "io/png.h"
#include "io/scratch.h"
#include "picture/xml.h"
#include "read_png.h"
#include "render/canvas.h"
#include "render/draw_pictures.h"
#include "shell/picture_state.h"

namespace lanescope::ui {
namespace {

using trace::Nanoseconds;

// Where the lanes are in a picture that is 1600 wide: behind the names, and up to the margin.
constexpr int kLeft = 128, kRight = 1580;

Pixel picture_pixel_of(std::uint32_t colour) {
  return {static_cast<int>(colour & 255), static_cast<int>(colour >> 8 & 255), static_cast<int>(colour >> 16 & 255)};
}

int count_in_row(const io::Image& image, int y, Colour colour, ThemeName name = ThemeName::Dark) {
  const Pixel wanted = picture_pixel_of(theme(name)[colour]);
  int count = 0;
  for (int x = 0; x < image.width; ++x) count += near(pixel_at(image, x, y), wanted) ? 1 : 0;
  return count;
}

struct Band {
  int top = -1, bottom = -1;  // rows in which at least `least` pixels are of the colour
  int most = 0;               // in its fullest row
};

Band band_of(const io::Image& image, Colour colour, int least, ThemeName name = ThemeName::Dark, int from = 0) {
  Band band;
  for (int y = from; y < image.height; ++y) {
    const int count = count_in_row(image, y, colour, name);
    if (count < least) {
      if (band.top >= 0) break;
      continue;
    }
    if (band.top < 0) band.top = y;
    band.bottom = y + 1;
    band.most = std::max(band.most, count);
  }
  return band;
}

class PictureTest : public io::Scratch {
 protected:
  void SetUp() override {
    session::SessionOptions options;
    options.device = "sim:teaching";
    options.paced = false;
    options.iterations = 40;
    session_.emplace(options);
    session_->start();
    session_->wait();
  }
  PicturePart part(int iterations) const {
    PicturePart p;
    p.trace = &session_->trace();
    std::tie(p.from_ns, p.to_ns) = typical_range(session_->trace(), iterations);
    p.title = "Log interval 1";
    p.summary = analysis::analyse(session_->trace(), p.from_ns, p.to_ns);
    p.facts.workload = "linear-mse";
    p.facts.device = "sim:teaching";
    p.facts.device_name = "A teaching GPU";
    p.facts.simulated = true;
    p.facts.settings = {{"log_interval", "1"}, {"pinned", "false"}};
    return p;
  }
  static PictureRequest request(std::vector<PicturePart> parts, float scale = 1) {
    PictureRequest r;
    r.parts = std::move(parts);
    r.scale = scale;
    return r;
  }

  std::optional<session::Session> session_;
};

// No window and no context: the picture creates its own. The kernels' row is 34 pixels high and filled with their
// colour for the share of its width in which the GPU was busy; where the CPU waited, the calls' row has the stripes of
// a wait.
TEST_F(PictureTest, TheLanesAreDrawnWhereTheyShouldBe) {
  const PicturePart shown = part(3);
  const io::Image image = draw_picture(request({shown}));
  EXPECT_EQ(image.width, 1600);
  const Band kernels = band_of(image, Colour::Kernel, 40);
  EXPECT_GE(kernels.bottom - kernels.top, 30);
  EXPECT_LE(kernels.bottom - kernels.top, 34);
  const double busy = static_cast<double>(shown.summary.kernel_ns) / static_cast<double>(shown.summary.window_ns());
  EXPECT_NEAR(static_cast<double>(kernels.most) / (kRight - kLeft), busy, 0.04);
  EXPECT_GT(busy, 0.1);

  const Band launches = band_of(image, Colour::Launch, 10);
  EXPECT_GE(launches.bottom - launches.top, 28);
  EXPECT_LT(launches.bottom, kernels.top);
  // In a row below the labels, the ground between the stripes covers the time that the GPU idles after a wait, except
  // for soft edges.
  const int calls_row = launches.bottom - 4;
  const Nanoseconds after_sync =
      shown.summary.bubble_by_cause_ns[static_cast<std::size_t>(analysis::BubbleCause::AfterSync)];
  const double harm = static_cast<double>(after_sync) / static_cast<double>(shown.summary.window_ns());
  const int striped = count_in_row(image, calls_row, Colour::Wait);
  EXPECT_GT(harm, 0.1);
  EXPECT_GT(striped, harm * (kRight - kLeft) * 0.3);
  EXPECT_LT(striped, harm * (kRight - kLeft) + 20);
  const Band curve = band_of(image, Colour::Accent, 10, ThemeName::Dark, launches.bottom);
  EXPECT_GE(curve.top, launches.bottom);
  EXPECT_LE(curve.bottom, kernels.top);
  // The bubble after each read has its dashed outline in the kernels' row.
  int dashes = 0;
  for (int y = kernels.top; y < kernels.bottom; ++y) dashes = std::max(dashes, count_in_row(image, y, Colour::Bubble));
  const double idle = static_cast<double>(shown.summary.bubble_ns) / static_cast<double>(shown.summary.window_ns());
  EXPECT_GT(idle, 0.1);
  EXPECT_GT(dashes, idle * (kRight - kLeft) * 0.3);
  EXPECT_LT(dashes, idle * (kRight - kLeft));
  EXPECT_GT(band_of(image, Colour::Simulated, 60).most, 60);
}

TEST_F(PictureTest, LightAndRecordedLookIt) {
  PictureRequest r = request({part(3)});
  r.theme = ThemeName::Light;
  r.parts[0].facts.simulated = false;
  const io::Image image = draw_picture(r);
  EXPECT_GE(band_of(image, Colour::Kernel, 40, ThemeName::Light).bottom, 1);
  EXPECT_TRUE(near(pixel_at(image, 2, 2), picture_pixel_of(theme(ThemeName::Light)[Colour::Ground])));
  EXPECT_EQ(band_of(image, Colour::Simulated, 60, ThemeName::Light).most, 0);
}

TEST_F(PictureTest, TwiceTheScaleIsTwiceThePixels) {
  const io::Image once = draw_picture(request({part(2)}, 1));
  const io::Image twice = draw_picture(request({part(2)}, 2));
  EXPECT_EQ(twice.width, 2 * once.width);
  EXPECT_EQ(twice.height, 2 * once.height);
  const Band small = band_of(once, Colour::Kernel, 40);
  const Band large = band_of(twice, Colour::Kernel, 80);
  EXPECT_NEAR(large.top, 2 * small.top, 2);
  EXPECT_NEAR(large.bottom, 2 * small.bottom, 2);
  EXPECT_NEAR(large.most, 2 * small.most, 60);
}

// The second part is half as long, so it has half of the width: one scale for both.
TEST_F(PictureTest, PartsShareOneTimeScale) {
  PicturePart whole = part(6);
  PicturePart half = whole;
  half.to_ns = half.from_ns + (whole.to_ns - whole.from_ns) / 2;
  const io::Image one = draw_picture(request({whole}));
  const io::Image both = draw_picture(request({whole, half}));
  EXPECT_GT(both.height, one.height * 3 / 2);
  const Band first = band_of(both, Colour::Kernel, 40);
  const Band second = band_of(both, Colour::Kernel, 40, ThemeName::Dark, first.bottom + 20);
  ASSERT_GT(second.top, first.bottom);
  const int row = second.bottom - 3;  // under the labels
  int last = 0;
  for (int x = 0; x < both.width; ++x) {
    if (near(pixel_at(both, x, row), picture_pixel_of(theme(ThemeName::Dark)[Colour::Kernel]))) last = x;
  }
  EXPECT_LE(last, (kLeft + kRight) / 2 + 1);
  EXPECT_GT(last, (kLeft + kRight) / 2 - 250);
}

TEST_F(PictureTest, TheSameRequestGivesTheSamePixels) {
  EXPECT_EQ(draw_picture(request({part(3)})).pixels, draw_picture(request({part(3)})).pixels);
}

// Drawn with an existing context: the picture is the same, and the context is still current.
TEST_F(PictureTest, AContextThatIsThereIsUsed) {
  const io::Image own = draw_picture(request({part(3)}));
  const OffscreenContext context;
  EXPECT_EQ(draw_picture(request({part(3)})).pixels, own.pixels);
  EXPECT_TRUE(gl_context_is_current());
}

TEST_F(PictureTest, WhatItShowsTravelsInTheFile) {
  const PictureRequest r = request({part(3)});
  const auto text = picture_text(r);
  EXPECT_EQ(text.at("workload"), "linear-mse");
  EXPECT_EQ(text.at("device"), "sim:teaching");
  EXPECT_EQ(text.at("device name"), "A teaching GPU");
  EXPECT_EQ(text.at("simulated"), "true");
  EXPECT_EQ(text.at("Software"), "Lanescope");
  EXPECT_EQ(text.at("range ns"), std::to_string(r.parts[0].from_ns) + " " + std::to_string(r.parts[0].to_ns));
  EXPECT_EQ(text.at("verdict"), analysis::verdict_key(r.parts[0].summary.verdict.kind));
  EXPECT_NE(text.at("settings").find("log_interval 1"), std::string::npos);
  EXPECT_NE(text.at("Description").find("Log interval 1"), std::string::npos);
  const io::Image image = draw_picture(r);
  io::write_png(file("picture.png"), image, text);
  std::map<std::string, std::string> read;
  EXPECT_EQ(test::read_png(file("picture.png"), &read).pixels, image.pixels);
  EXPECT_EQ(read, text);

  PictureRequest two = request({part(3), part(1)});
  two.parts[1].facts.simulated = false;
  const auto both = picture_text(two);
  EXPECT_EQ(both.at("simulated 1"), "true");
  EXPECT_EQ(both.at("simulated 2"), "false");
}

int pixels_of(const io::Image& image, Colour colour) {
  int count = 0;
  for (int y = 0; y < image.height; ++y) count += count_in_row(image, y, colour);
  return count;
}

std::string refusal_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const base::Error& error) {
    return error.what();
  }
  return "taken";
}

// 62 above the parts, 54 above each, 34 below; without a caption the badge's strip of 34 stays.
TEST_F(PictureTest, WithoutItsCaptionItIsTheLanesAndTheBadge) {
  PictureRequest r = request({part(3)});
  const io::Image whole = draw_picture(r);
  r.caption = false;
  const io::Image bare = draw_picture(r);
  EXPECT_EQ(whole.height - bare.height, 62 + 54);
  EXPECT_GT(pixels_of(bare, Colour::Simulated), 1000);
  EXPECT_NEAR(band_of(bare, Colour::Kernel, 40).top, band_of(whole, Colour::Kernel, 40).top - 62 - 54, 1);
  r.parts[0].facts.simulated = false;
  const io::Image recorded = draw_picture(r);
  EXPECT_EQ(bare.height - recorded.height, 34);
  EXPECT_EQ(pixels_of(recorded, Colour::Simulated), 0);
}

// One simulated part is enough, at any position.
TEST_F(PictureTest, SimulatedBesideMeasuredSaysSo) {
  PictureRequest r = request({part(2), part(2)});
  r.parts[0].facts.simulated = false;
  EXPECT_GT(pixels_of(draw_picture(r), Colour::Simulated), 1000);
  const std::string svg = draw_picture_svg(r);
  EXPECT_THAT(svg, testing::HasSubstr("(measured)"));
  EXPECT_THAT(svg, testing::HasSubstr("(simulated)"));
}

// 20,000 x 1 is beyond 16,384; 16,384 / 20,000 is 0.82. A tall one of 134 million pixels: its side allows, its area
// not.
TEST_F(PictureTest, WhatIsTooLargeIsRefusedInOneLine) {
  PictureRequest r = request({part(1)});
  for (const float scale : {0.4f, 8.5f, -1.0f, std::nanf("")}) {
    r.scale = scale;
    EXPECT_THAT(refusal_of([&] { draw_picture(r); }), testing::HasSubstr("allowed: 0.5 to 8"));
  }
  r.scale = 1;
  r.width = 20'000;
  EXPECT_THAT(refusal_of([&] { draw_picture(r); }),
              testing::AllOf(testing::HasSubstr("a picture of 20000 x "), testing::HasSubstr("16384 each way"),
                             testing::HasSubstr("a scale of 0.8;")));
  EXPECT_EQ(xml_fault(draw_picture_svg(r)), "") << "an SVG has no pixels";
  const int height = picture_size(request({part(1)})).height;
  r.width = 2000;
  for (int i = 0; i < 8'000 / height; ++i) r.parts.push_back(r.parts[0]);
  r.scale = 4;
  EXPECT_LT(picture_size(r).height, 4 * 8'400);
  EXPECT_THAT(refusal_of([&] { check_picture(r); }), testing::HasSubstr("134 million"));
  r.scale = 0.5f;
  check_picture(r);
}

TEST_F(PictureTest, TheSizeIsKnownBeforeItIsDrawn) {
  const PictureRequest r = request({part(2)}, 0.5f);
  const io::Image image = draw_picture(r);
  EXPECT_EQ(picture_size(r).width, image.width);
  EXPECT_EQ(picture_size(r).height, image.height);
  EXPECT_EQ(image.width, 800);
}

TEST_F(PictureTest, AnSvgOfARunIsWellFormedAndSaysWhatItIs) {
  PicturePart shown = part(3);
  shown.title = "1 < 2 & \"3\"";
  const std::string svg = draw_picture_svg(request({shown}));
  EXPECT_EQ(xml_fault(svg), "");
  for (const char* says : {"SIMULATED · teaching", "1 &lt; 2 &amp;", "kernels", "url(#h", "stroke-dasharray",
                           "<lanescope:text key=\"workload\">linear-mse<"}) {
    EXPECT_NE(svg.find(says), std::string::npos) << says;
  }
  EXPECT_LT(svg.size(), 600'000u);
  EXPECT_EQ(draw_picture_svg(request({shown})), svg) << "the same request gives the same bytes";
}

TEST_F(PictureTest, TheFilesEndingSaysTheFormat) {
  EXPECT_EQ(picture_format("a.PNG"), PictureFormat::Png);
  EXPECT_EQ(picture_format("b/c.svg"), PictureFormat::Svg);
  for (const char* wrong : {"a.jpg", "a", "a.svgz", ""}) {
    EXPECT_THAT(refusal_of([&] { picture_format(wrong); }), testing::HasSubstr("allowed endings: .png, .svg"));
  }
  write_picture(file("p.svg"), request({part(1)}));
  EXPECT_EQ(xml_fault(io::read_bytes(file("p.svg"))), "");
  write_picture(file("p.png"), request({part(1)}));
  EXPECT_EQ(test::read_png(file("p.png")).width, 1600);
  EXPECT_THROW(write_picture(file("p.gif"), request({part(1)})), base::UsageError);
  EXPECT_EQ(files_in_folder(), 2u);
}

// A hidden lane takes no space; a selection and a ruler are drawn as in the window.
TEST_F(PictureTest, WhatAPersonDidToTheTimelineIsInIt) {
  PictureRequest r = request({part(3)});
  const io::Image plain = draw_picture(r);
  Timeline timeline;
  timeline.sync(session_->trace());
  PictureOverlay& over = r.parts[0].over;
  LaneChoice hidden;
  hidden.hidden = true;
  ASSERT_FALSE(timeline.places().empty());
  over.layout.set(timeline.places().front().key, hidden);
  const std::string without = draw_picture_svg(r);
  EXPECT_NE(without.find("1 lane hidden"), std::string::npos);
  EXPECT_EQ(without.find("iteration 2"), std::string::npos) << "the first lane is that of the iterations";
  EXPECT_NE(draw_picture_svg(request({part(3)})).find("iteration 2"), std::string::npos);
  over.layout = {};
  const Nanoseconds third = (r.parts[0].to_ns - r.parts[0].from_ns) / 3;
  over.marks.add_ruler(r.parts[0].from_ns + third, r.parts[0].to_ns - third, "");
  EXPECT_NE(draw_picture(r).pixels, plain.pixels);
  const std::string measured = draw_picture_svg(r);
  over.marks = {};
  over.selection.range = {r.parts[0].from_ns + third, r.parts[0].to_ns - third};
  const io::Image selected = draw_picture(r);
  EXPECT_EQ(selected.height, plain.height);
  EXPECT_NE(selected.pixels, plain.pixels);
  EXPECT_NE(measured, draw_picture_svg(r));
}

// The user's other changes: the trigger's flag, a pinned tooltip, a folded lane.
TEST_F(PictureTest, TheFlagPinnedTooltipsAndTrianglesAreInIt) {
  PictureRequest r = request({part(3)});
  const std::string plain = draw_picture_svg(r);
  const auto size = [](const std::string& svg) { return std::count(svg.begin(), svg.end(), '<'); };
  PictureOverlay& over = r.parts[0].over;
  over.trigger = (r.parts[0].from_ns + r.parts[0].to_ns) / 2;
  EXPECT_NE(draw_picture_svg(r).find(">T<"), std::string::npos);
  EXPECT_EQ(plain.find(">T<"), std::string::npos);
  over.trigger.reset();
  PinnedTooltip pin;
  pin.hit.lane = 0;
  pin.hit.folded_count = 4321;
  pin.at = (r.parts[0].from_ns + r.parts[0].to_ns) / 2;
  over.marks.pinned.push_back(pin);
  EXPECT_NE(draw_picture_svg(r).find(">4,321 events<"), std::string::npos);
  over.marks.pinned.clear();
  EXPECT_EQ(draw_picture_svg(r), plain);
  // A folded lane adds a triangle, a pinned one three rectangles.
  Timeline timeline;
  timeline.sync(session_->trace());
  over.layout.set(timeline.places().front().key, {.pinned = true});
  EXPECT_GE(size(draw_picture_svg(r)), size(plain) + 3);
}

// An event of 100 alone is the middle third: 100 on either side, but never before the trace. With the operation that
// belongs to it the stretch is 400 to 1,400, and 0.3 of it stands on either side. A range is itself.
TEST(PictureRange, IsWhatIsSelectedWithItsSurroundings) {
  const auto event = [](Nanoseconds from, Nanoseconds to) {
    EventRef ref;
    ref.event.start_ns = from;
    ref.event.end_ns = to;
    return ref;
  };
  using Stretch = std::pair<Nanoseconds, Nanoseconds>;
  const Stretch all{0, 10'000};
  Selection s;
  s.event = event(400, 500);
  EXPECT_EQ(picture_range(s, {}, all), Stretch(300, 600));
  EXPECT_EQ(picture_range(s, {}, {350, 450}), Stretch(350, 500)) << "what is selected is in it, whatever is known";
  s.linked = event(1'200, 1'400);
  EXPECT_EQ(picture_range(s, {}, all), Stretch(100, 1'700));
  CausePath path;
  path.next_launch = event(2'390, 2'400);
  EXPECT_EQ(picture_range(s, path, all), Stretch(0, 3'000));
  Selection bubble;
  bubble.bubble = analysis::Bubble{};
  bubble.bubble->start_ns = 5'000;
  bubble.bubble->end_ns = 5'200;
  EXPECT_EQ(picture_range(bubble, {}, all), Stretch(4'800, 5'400));
  Selection instant;
  instant.event = event(700, 700);
  EXPECT_EQ(picture_range(instant, {}, all), Stretch(690, 710)) << "an instant, too, is a picture";
  s.range = {123, 456};
  EXPECT_EQ(picture_range(s, path, all), Stretch(123, 456));
}

TEST(TypicalRange, IsWholeIterationsFromTheMiddle) {
  trace::Trace trace;
  const auto lane = trace.add_lane({});
  trace::LaneInfo info;
  info.kind = trace::LaneKind::Iterations;
  const auto iterations = trace.add_lane(info);
  EXPECT_EQ(typical_range(trace, 3), (std::pair<Nanoseconds, Nanoseconds>{0, 0}));
  trace::Event e;
  e.lane = lane;
  e.start_ns = 5;
  e.end_ns = 2000;
  trace.append(e);
  trace.publish();
  EXPECT_EQ(typical_range(trace, 3), (std::pair<Nanoseconds, Nanoseconds>{5, 2000}));
  e.lane = iterations;
  for (Nanoseconds start = 100; start < 1100; start += 100) {  // ten of them; the middle three are those from 400 on
    e.start_ns = start;
    e.end_ns = start + 90;
    trace.append(e);
  }
  trace.publish();
  EXPECT_EQ(typical_range(trace, 3), (std::pair<Nanoseconds, Nanoseconds>{400, 690}));
  EXPECT_EQ(typical_range(trace, 0), (std::pair<Nanoseconds, Nanoseconds>{500, 590}));
  EXPECT_EQ(typical_range(trace, 99), (std::pair<Nanoseconds, Nanoseconds>{100, 1090}));
}

}  // namespace
}  // namespace lanescope::ui
