// lanescope run --animation
#include <fmt/format.h>
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "base/time.h"
#include "program.h"
#include "read_gif.h"
#include "timeline/theme.h"

namespace lanescope::app::test {
namespace {

using lanescope::test::Gif;
using lanescope::test::read_gif;
using testing::ElementsAre;
using testing::HasSubstr;

constexpr std::size_t kMostBytes = 5'000'000;

bool alike(const std::uint8_t* pixel, std::uint32_t colour) {
  for (int c = 0; c < 3; ++c) {
    if (std::abs(pixel[c] - static_cast<int>(colour >> (8 * c) & 255)) > 2) return false;
  }
  return true;
}

// The most pixels of this colour beside each other.
int longest_row_of(const io::Image& image, std::uint32_t colour) {
  int longest = 0;
  for (int y = 0; y < image.height; ++y) {
    int length = 0;
    for (int x = 0; x < image.width; ++x) {
      length = alike(image.pixels.data() + (y * image.width + x) * 4, colour) ? length + 1 : 0;
      longest = std::max(longest, length);
    }
  }
  return longest;
}

std::size_t count_of(const io::Image& image, std::uint32_t colour) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < image.pixels.size(); i += 4) count += alike(image.pixels.data() + i, colour) ? 1 : 0;
  return count;
}

class AnimationTest : public ProgramTest {
 protected:
  std::string made(std::vector<std::string> more, const std::string& file) const {
    more.insert(more.end(), {"--animation", file});
    const Outcome outcome = run(more);
    EXPECT_EQ(outcome.status, 0) << outcome.err;
    return text_of(folder_ / file);
  }
};

TEST_F(AnimationTest, OfAnExperimentShowsBothSidesAndTheMeasuredFactor) {
  const std::string bytes = made({"run", "--experiment", "P09", "--no-extra", "--json", "p09.json"}, "p09.gif");
  EXPECT_LE(bytes.size(), kMostBytes);
  EXPECT_THAT(files(), ElementsAre("p09.gif", "p09.json"));
  const Gif gif = read_gif(bytes);
  EXPECT_EQ(gif.width, 1272);
  EXPECT_NEAR(gif.height, 640, 40);
  EXPECT_TRUE(gif.for_ever);
  // 2.5 s of each side in 50 pictures, what stands still between them, and the result.
  EXPECT_NEAR(static_cast<double>(gif.shown.size()), 105, 5);
  int centiseconds = 0;
  for (const int one : gif.centiseconds) centiseconds += one;
  EXPECT_NEAR(centiseconds, 1000, 150);
  EXPECT_GE(gif.centiseconds.back(), 200);

  // What it says is what the run measured, and the bars are as long as the times.
  const auto json = nlohmann::json::parse(text_of(folder_ / "p09.json"));
  const double before = json.at("runs").at(0).at("pace").at("ns"), after = json.at("runs").at(1).at("pace").at("ns");
  EXPECT_THAT(gif.comment, HasSubstr("P09 Reading the loss every iteration\nlog interval 1 → never\n"));
  EXPECT_THAT(gif.comment,
              HasSubstr(fmt::format("{:.2f}x faster, per iteration, by elapsed time; 200 iterations each: {} → {}\n",
                                    before / after, base::format_duration(std::llround(before)),
                                    base::format_duration(std::llround(after)))));
  EXPECT_THAT(gif.comment, HasSubstr("simulated, not measured on a GPU"));
  const ui::Theme& dark = ui::theme(ui::ThemeName::Dark);
  const double bars = static_cast<double>(longest_row_of(gif.shown.back(), dark[ui::Colour::Muted])) /
                      static_cast<double>(longest_row_of(gif.shown.back(), dark[ui::Colour::Accent]));
  EXPECT_NEAR(bars, before / after, 0.02);

  // The label SIMULATED is in every picture. Waits and bubbles are before, the bars of both sides are in the result.
  for (const io::Image& image : gif.shown) EXPECT_GT(count_of(image, dark[ui::Colour::Simulated]), 2000u);
  const io::Image &first = gif.shown.front(), &last = gif.shown.back();
  EXPECT_GT(count_of(first, dark[ui::Colour::Kernel]), 10'000u);
  EXPECT_GT(count_of(first, dark[ui::Colour::Wait]), 200u);
  EXPECT_GT(count_of(first, dark[ui::Colour::BubbleGround]), 1000u);
  EXPECT_EQ(count_of(last, dark[ui::Colour::Kernel]), 0u);
  EXPECT_EQ(count_of(last, dark[ui::Colour::Wait]), 0u);
}

// Everything but the wall clock: the same command gives the same file. The slower side is the second one here.
TEST_F(AnimationTest, OfTwoRunsIsTheSameEveryTime) {
  const std::vector<std::string> command{
      "run",   "--workload",        "linear-mse", "--device",          "sim:rtx4090",
      "--set", "log_interval=0",    "--compare",  "log_interval=1",    "--iterations",
      "100",   "--animation-scale", "0.5",        "--animation-theme", "light"};
  const std::string one = made(command, "one.gif"), two = made(command, "two.gif");
  EXPECT_EQ(one, two);
  const Gif gif = read_gif(one);
  EXPECT_EQ(gif.width, 424);
  EXPECT_THAT(gif.comment, HasSubstr("Reading the loss every iteration\nlog interval never → 1\n"));
  EXPECT_THAT(gif.comment, HasSubstr("x slower, per iteration, by elapsed time; 100 iterations each: "));
  const ui::Theme& light = ui::theme(ui::ThemeName::Light);
  for (const io::Image& image : gif.shown) EXPECT_TRUE(alike(image.pixels.data(), light[ui::Colour::Ground]));
  EXPECT_LT(longest_row_of(gif.shown.back(), light[ui::Colour::Muted]),
            longest_row_of(gif.shown.back(), light[ui::Colour::Accent]));
}

TEST_F(AnimationTest, NeedsTwoRunsAndAGif) {
  const auto refused = [&](const std::vector<std::string>& more, const std::vector<std::string>& said, int status = 2) {
    std::vector<std::string> command{"run"};
    command.insert(command.end(), more.begin(), more.end());
    expect_complaint(run(command), status, said);
    EXPECT_TRUE(files().empty());
  };
  const std::string loop = "linear-mse", other = "log_interval=0";
  refused({"--workload", loop, "--animation", "a.gif"}, {"--animation", "--compare"});
  refused({"--workload", loop, "--predict", other, "--animation", "a.gif"}, {"--animation", "--compare"});
  refused({"--experiment", "P09", "--side", "after", "--animation", "a.gif"}, {"--animation", "--side both"});
  refused({"--experiment", "P09", "--side", "left", "--animation", "a.gif"}, {"'left'", "before, after, both"});
  refused({"--experiment", "P09", "--animation", "a.png"}, {"a.png", "GIF", ".gif"});
  refused({"--experiment", "P09", "--animation", "a"}, {"a: ", ".gif"});
  refused({"--experiment", "P09", "--animation", "a.gif", "--animation-scale", "9"}, {"'9'", "0.5 to 4"});
  refused({"--experiment", "P09", "--animation", "a.gif", "--animation-theme", "blue"}, {"blue", "light"});
  refused({"--experiment", "P09", "--animation-scale", "1"}, {"--animation-scale", "--animation"});
  refused({"--workload", loop, "--compare", other, "--animation", "none/a.gif"}, {"none/a.gif", "No such file"}, 1);
  refused({"--workload", loop, "--compare", other, "--animation", "a.gif", "--screenshot", "a.gif"}, {".png, .svg"});
  Surroundings no_drivers;
  no_drivers.environment = {{"__EGL_VENDOR_LIBRARY_DIRS", "/nonexistent"}};
  expect_complaint(
      run({"run", "--experiment", "P09", "--iterations", "1000000000", "--animation", "a.gif"}, no_drivers), 1,
      {"OpenGL"});
  EXPECT_TRUE(files().empty());
}

}  // namespace
}  // namespace lanescope::app::test
