// What the display really shows.
#include <epoxy/gl.h>
// epoxy first: GLFW must not bring its own OpenGL header.
#include <GLFW/glfw3.h>
#include <X11/keysym.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "io/png.h"
#include "read_png.h"
#include "render/offscreen.h"
#include "timeline/theme.h"
#include "window/desk.h"

namespace lanescope::ui_test {
namespace {

class PixelsTest : public WindowTest {
 protected:
  void SetUp() override {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().preferences.picture_folder = desk().pictures().string();
    WindowTest::SetUp();
    wait_for_iterations(12);
  }
  /// Waits for the only file in the picture folder, and for the toast that names it.
  std::filesystem::path the_file() {
    const auto told = [&] {
      if (desk().saved().empty() || !state().toast) return false;
      return state().toast->text.ends_with(": " + desk().saved()[0].string()) && !state().pictures.saving.busy();
    };
    EXPECT_TRUE(desk().until(told)) << (state().toast ? state().toast->text : "no toast");
    EXPECT_FALSE(state().toast && state().toast->error);
    EXPECT_THAT(desk().saved(), testing::SizeIs(1));
    return desk().saved().empty() ? std::filesystem::path() : desk().saved()[0];
  }
};

unsigned long rgb(std::uint32_t colour) { return (colour & 255) << 16 | (colour & 0xff00) | (colour >> 16 & 255); }

unsigned long rgb_at(const io::Image& image, int x, int y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
  return static_cast<unsigned long>(image.pixels[at]) << 16 | static_cast<unsigned long>(image.pixels[at + 1]) << 8 |
         image.pixels[at + 2];
}

// Every lane's colour is found where the lane is: on the screen itself, and in the picture of it.
TEST_F(PixelsTest, ThePictureShowsTheLanesWhereTheyAre) {
  run({"feed=per-iteration", "log_interval=2"});
  wait_for_iterations(8);
  hold_still();
  Hands eyes;
  io::Image image;
  ui::ThemeName name = ui::ThemeName::Dark;
  const auto take = [&](Nanoseconds from, Nanoseconds to) {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().preferences.theme = name;
    state().view.show(from, to);
    desk().point_at({700, 940});  // away from the lanes, so that nothing is drawn over them
    ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
    desk().frames(2);
    desk().tap(XK_F12);
    image = test::read_png(the_file());
  };
  const auto look = [&](trace::LaneKind lane,
                        const std::function<std::optional<ui::Colour>(const trace::Event&)>& colour_of) {
    const auto rect = state().timeline.lane_rect(model().trace(), lane);
    ASSERT_TRUE(rect.has_value());
    int found = 0;
    for (const trace::Event& e : events_in_view(lane)) {
      const auto colour = colour_of(e);
      if (!colour || axis().length_px(e.duration()) < 5) continue;
      // What is around the shown iteration is dimmed, where it fills a good part of the view.
      const auto& shown = state().view.shown_iteration();
      const Nanoseconds seen =
          shown ? std::min(shown->end_ns, axis().end_ns()) - std::max(shown->start_ns, axis().begin_ns()) : 0;
      const bool framed = seen > 0 && axis().length_px(seen) > 0.35f * axis().width_px();
      if (framed && (e.start_ns < shown->start_ns || e.end_ns > shown->end_ns)) continue;
      // Near the bottom of the row, under what is written there; in the event's first half, since the line of the
      // trigger may stand in its middle.
      const auto x = static_cast<int>(axis().to_px(e.start_ns + e.duration() / 3));
      const auto y = static_cast<int>(rect->y + rect->height) - 4;
      const unsigned long wanted = rgb(ui::theme(name)[*colour]);
      EXPECT_EQ(rgb_at(image, x, y), wanted) << "lane " << static_cast<int>(lane) << " at " << x << ", " << y;
      EXPECT_EQ(eyes.pixel(x, y), wanted) << "on the screen, at " << x << ", " << y;
      ++found;
    }
    EXPECT_GE(found, 2) << "lane " << static_cast<int>(lane);
  };
  for (const ui::ThemeName theme_name : {ui::ThemeName::Dark, ui::ThemeName::Light}) {
    name = theme_name;
    const auto records = model().analysis().records();
    take(records[4].start_ns, records[5].end_ns);
    look(trace::LaneKind::Kernels, [](const trace::Event&) { return ui::Colour::Kernel; });
    look(trace::LaneKind::CopyH2D, [](const trace::Event&) { return ui::Colour::CopyH2D; });
    // Between the rows there is the ground.
    const Rect kernels = *state().timeline.lane_rect(model().trace(), trace::LaneKind::Kernels);
    EXPECT_EQ(rgb_at(image, static_cast<int>(axis().left_px()) - 2, static_cast<int>(kernels.y) - 3),
              rgb(ui::theme(name)[ui::Colour::Ground]));
    take(records[5].end_ns - 80'000, records[5].end_ns);
    look(trace::LaneKind::Calls, [](const trace::Event& e) -> std::optional<ui::Colour> {
      if (trace::is_blocking(e)) return std::nullopt;
      return trace::is_launch(e) ? ui::Colour::Launch : ui::Colour::Call;
    });
  }
}

// What did not change is not drawn again: nothing of what was there before may stay.
TEST_F(PixelsTest, WhatWasDrawnInPartsIsWhatIsDrawnAtOnce) {
  GLFWwindow* window = desk().window().handle();
  const auto refresh = glfwSetWindowRefreshCallback(window, nullptr);
  glfwSetWindowRefreshCallback(window, refresh);
  const auto compare = [&](const char* what) {
    // The texts in the status bar tell the time of a frame.
    const int status = static_cast<int>(30 * state().scale());
    int width = 0, height = 0;
    desk().frames(3);
    glfwGetFramebufferSize(window, &width, &height);
    const auto read = [&] { return ui::read_pixels(0, status, width, height - status); };
    // Of a run that was paused, the last events may still be on their way, on a busy machine for many frames.
    const auto content = [&] {
      return std::tuple(model().live_edge(), model().trace().counts().recorded, model().analysis().records().size());
    };
    io::Image parts, whole;
    auto shown = content();
    do {
      // Some heights approach their goal slowly, from frame to frame.
      parts = read();
      int same = 0;
      ASSERT_TRUE(desk().until([&] {
        io::Image next = read();
        same = next.pixels == parts.pixels ? same + 1 : 0;
        parts = std::move(next);
        return same >= 20 && !desk().window().shell().animating();
      }));
      shown = content();
      refresh(window);
      desk().frames(1);
      whole = read();
    } while (shown != content());
    // The software renderer rounds edges within a tile in its own way: by up to five of 255 steps in a pixel, which
    // nobody sees.
    const auto alike = [](int p, int w) { return std::abs(p - w) <= 8; };
    const auto [a, b] = std::mismatch(parts.pixels.begin(), parts.pixels.end(), whole.pixels.begin(), alike);
    const auto at = (a - parts.pixels.begin()) / 4;
    if (a == parts.pixels.end()) return;
    ADD_FAILURE() << what << ": differs at " << at % width << ", " << at / width << ": " << int{*a} << " in parts, "
                  << int{*b};
  };
  run({}, 1);
  wait_for_iterations(200);
  for (const ui::ThemeName name : {ui::ThemeName::Light, ui::ThemeName::HighContrast, ui::ThemeName::Dark}) {
    state().preferences.theme = name;
    model().set_paused(false);
    state().view.set_mode(ui::ViewMode::Roll);
    desk().frames(20);
    hold_still();
    compare("rolled");
    state().overlays.open = ui::Overlay::Help;
    compare("with an overlay");
    state().overlays.open.reset();
    compare("without it");
    if (name != ui::ThemeName::Dark) continue;
    const float middle = axis().left_px() + axis().width_px() / 2;
    desk().point_at({middle, 200});
    for (int i = 0; i < 3; ++i) {
      desk().wheel(i < 2 ? 3 : -2, kControl);
      ASSERT_TRUE(desk().until([&] { return !state().view.moving(); }));
      compare("zoomed");
    }
    state().view.pan(-37.5f);
    compare("panned");
    state().preferences.font_scale = 1.25f;
    compare("larger");
    state().preferences.font_scale = 1;
    compare("smaller");
  }
}

}  // namespace
}  // namespace lanescope::ui_test
