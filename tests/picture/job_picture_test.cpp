// The bands of several GPUs in pictures.
#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>

#include "analysis/gpu_job.h"
#include "picture/picture.h"
#include "picture/xml.h"
#include "render/canvas.h"
#include "render/draw_pictures.h"

namespace lanescope::ui {
namespace {

using analysis_test::GpuJob;
using analysis_test::kAllReduce;
using testing::HasSubstr;
using testing::Not;

std::string hex(std::uint32_t colour) {
  return fmt::format("#{:02x}{:02x}{:02x}", colour & 255, colour >> 8 & 255, colour >> 16 & 255);
}
Pixel pixel_of(std::uint32_t colour) {
  return {static_cast<int>(colour & 255), static_cast<int>(colour >> 8 & 255), static_cast<int>(colour >> 16 & 255)};
}

// One pixel for each µs, from x = 128. GPU 0 arrives at 200 µs, GPU 1 at 400; both end at 900. Without a caption, the
// strip is from 24 to 36, the bands begin at 41 and 97, and their collectives are 20 below that and 13 high.
class JobPicture : public testing::Test {
 protected:
  JobPicture() {
    for (int gpu = 0; gpu < 2; ++gpu) {
      job_.kernel(gpu, "gemm", 0, gpu == 0 ? 200 : 400);
      job_.kernel(gpu, kAllReduce, gpu == 0 ? 200 : 400, 900);
    }
    job_.trace.publish();
    found_ = analysis::collectives(job_.trace, 0, std::numeric_limits<Nanoseconds>::max());
    request_.scale = 1;
    request_.caption = false;
    PicturePart& part = request_.parts.emplace_back();
    part.trace = &job_.trace;
    part.to_ns = 1'452'000;
  }
  void show_bands() {
    request_.parts[0].over.job = {
        &found_, {{0, "rank 0", "last in 0 %"}, {1, "rank 1", "last in 100 %"}}, {}, "2 GPUS", "Too few to judge."};
  }

  GpuJob job_{2};
  analysis::Collectives found_;
  PictureRequest request_;
};

TEST_F(JobPicture, AnSvgHasThemInTheColoursOfItsTheme) {
  const std::string without = draw_picture_svg(request_);
  EXPECT_THAT(without, Not(HasSubstr("arrived last")));
  show_bands();
  for (const ThemeName name : {ThemeName::Dark, ThemeName::Light}) {
    request_.theme = name;
    const Theme& colours = theme(name);
    const std::string svg = draw_picture_svg(request_);
    EXPECT_EQ(xml_fault(svg), "");
    for (const char* says : {">2 GPUS<", ">Too few to judge.<", ">arrived last<", ">rank 0<", ">last in 100 %<"}) {
      EXPECT_THAT(svg, HasSubstr(says));
    }
    EXPECT_THAT(svg, HasSubstr("<rect x=\"328\" y=\"24\" width=\"700\" height=\"12\" rx=\"3\" fill=\"" +
                               hex(gpu_colour(colours, 1)) + "\"/>"));
    EXPECT_THAT(svg, HasSubstr("transform=\"translate(328,61)\" fill=\"url(#h")) << "GPU 0 waits";
    EXPECT_THAT(svg, HasSubstr("<rect x=\"528\" y=\"61\" width=\"500\" height=\"13\" rx=\"2\" fill=\"" +
                               hex(colours[Colour::CopyOther]) + "\"/>"));
    EXPECT_THAT(svg, HasSubstr("<path d=\"M328,74 H1028 L1028,117 H528 Z\" fill=\"" + hex(colours[Colour::CopyOther]) +
                               "\" fill-opacity=\"0.16\"/>"));
    EXPECT_THAT(svg, HasSubstr("<path d=\"M328,74 L528,117\" stroke=\""));
  }
}

// A heading of 24, the strip with its gap of 17, 56 for each band, and 2 below.
TEST_F(JobPicture, ItIsHigherByTheBandsThatAreShown) {
  const int without = picture_size(request_).height;
  show_bands();
  EXPECT_EQ(picture_size(request_).height - without, 24 + 17 + 2 * 56 + 2);
  request_.parts[0].over.job.bands.pop_back();
  EXPECT_EQ(picture_size(request_).height - without, 24 + 17 + 56 + 2);
}

TEST_F(JobPicture, ThePixelsAreThoseOfTheWindow) {
  show_bands();
  const io::Image image = draw_picture(request_);
  const Theme& colours = theme(ThemeName::Dark);
  EXPECT_TRUE(near(pixel_at(image, 600, 30), pixel_of(gpu_colour(colours, 1))));
  EXPECT_TRUE(near(pixel_at(image, 228, 50), pixel_of(colours[Colour::Kernel])));
  for (const int y : {68, 124}) {
    EXPECT_TRUE(near(pixel_at(image, 700, y), pixel_of(colours[Colour::CopyOther])));
  }
  int solid = 0;
  for (int x = 330; x < 526; ++x) solid += near(pixel_at(image, x, 68), pixel_of(colours[Colour::CopyOther])) ? 1 : 0;
  EXPECT_GT(solid, 40) << "the stripes of a wait";
  EXPECT_LT(solid, 130);
  // Between the bands is a ribbon: from 328 at the top to 528 at the bottom.
  const Pixel ground = pixel_of(colours[Colour::Ground]);
  EXPECT_FALSE(near(pixel_at(image, 700, 92), ground));
  EXPECT_TRUE(near(pixel_at(image, 350, 92), ground));
}

// Both themes have the same shapes; a page sets the ribbons' colours, too.
TEST_F(JobPicture, AThemedSvgHasColoursOfBoth) {
  show_bands();
  const ThemedSvg drawn = draw_themed_svg(request_, "p", "bands");
  EXPECT_THAT(drawn.svg, HasSubstr("<path d=\"M328,74 L528,117\" stroke=\"var(--p"));
  EXPECT_THAT(drawn.svg, Not(HasSubstr("=\"#")));
}

}  // namespace
}  // namespace lanescope::ui
