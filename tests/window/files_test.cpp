// What goes out and comes in: pictures, traces, opened files. And the picture shows what it should.
#include <X11/keysym.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>

#include <fstream>

#include "io/chrome_trace.h"
#include "io/png.h"
#include "read_png.h"
#include "timeline/theme.h"
#include "window/desk.h"
#include "window/unpainted.h"

namespace lanescope::ui_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using trace::Event;
using trace::LaneKind;
using ui::Colour;

class FilesTest : public WindowTest {
 protected:
  const Painted painted_;
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
    EXPECT_THAT(desk().saved(), SizeIs(1));
    return desk().saved().empty() ? std::filesystem::path() : desk().saved()[0];
  }
  std::filesystem::path write(const std::string& name, const std::string& text) {
    const std::filesystem::path path = desk().home() / name;
    std::ofstream(path) << text;
    return path;
  }
};

unsigned long rgb(std::uint32_t colour) { return (colour & 255) << 16 | (colour & 0xff00) | (colour >> 16 & 255); }

unsigned long rgb_at(const io::Image& image, int x, int y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
  return static_cast<unsigned long>(image.pixels[at]) << 16 | static_cast<unsigned long>(image.pixels[at + 1]) << 8 |
         image.pixels[at + 2];
}

TEST_F(FilesTest, ATapOnSWritesAPictureOfTheWindow) {
  const double zoom = axis().ns_per_pixel();
  desk().tap(XK_s);
  const std::filesystem::path path = the_file();
  EXPECT_THAT(path.filename().string(), HasSubstr("window"));
  std::map<std::string, std::string> text;
  const io::Image image = test::read_png(path, &text);
  EXPECT_EQ(image.width, 1440);
  EXPECT_EQ(image.height, 960);
  EXPECT_EQ(text.at("workload"), "linear-mse");
  EXPECT_EQ(text.at("device"), "sim:rtx4090");
  EXPECT_EQ(text.at("simulated"), "true");
  EXPECT_THAT(text.at("settings"), HasSubstr("log_interval 1"));
  EXPECT_DOUBLE_EQ(axis().ns_per_pixel(), zoom) << "a tap does not zoom";
}

TEST_F(FilesTest, SHeldDownZoomsOutAndWritesNothing) {
  hold_still();
  const double zoom = axis().ns_per_pixel();
  desk().key_down(XK_s);
  EXPECT_TRUE(desk().until([&] { return axis().ns_per_pixel() > 1.2 * zoom; }));
  desk().key_up(XK_s);
  desk().frames(5);
  EXPECT_THAT(desk().saved(), SizeIs(0));
  EXPECT_FALSE(state().toast.has_value());
}

// Every lane's colour is found where the lane is: on the screen itself, and in the picture of it.
TEST_F(FilesTest, ThePictureShowsTheLanesWhereTheyAre) {
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
  const auto look = [&](LaneKind lane, const std::function<std::optional<Colour>(const Event&)>& colour_of) {
    const auto rect = state().timeline.lane_rect(model().trace(), lane);
    ASSERT_TRUE(rect.has_value());
    int found = 0;
    for (const Event& e : events_in_view(lane)) {
      const auto colour = colour_of(e);
      if (!colour || axis().length_px(e.duration()) < 5) continue;
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
    look(LaneKind::Iterations,
         [](const Event& e) { return trace::index_of(e) % 2 ? Colour::RangeAlt : Colour::Range; });
    look(LaneKind::Kernels, [](const Event&) { return Colour::Kernel; });
    look(LaneKind::CopyH2D, [](const Event&) { return Colour::CopyH2D; });
    // Between the rows there is the ground.
    const Rect kernels = *state().timeline.lane_rect(model().trace(), LaneKind::Kernels);
    EXPECT_EQ(rgb_at(image, static_cast<int>(axis().left_px()) - 2, static_cast<int>(kernels.y) - 3),
              rgb(ui::theme(name)[Colour::Ground]));
    take(records[5].end_ns - 80'000, records[5].end_ns);
    look(LaneKind::Calls, [](const Event& e) -> std::optional<Colour> {
      if (trace::is_blocking(e)) return std::nullopt;
      return trace::is_launch(e) ? Colour::Launch : Colour::Call;
    });
  }
}

// The timeline alone is as wide as a picture is at that scale, and says what it shows.
TEST_F(FilesTest, ShiftSWritesTheTimelineAtTwiceAndFourTimesTheSize) {
  hold_still();
  std::vector<int> heights;
  for (const unsigned modifiers : {kShift, kShift | kControl}) {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().toast.reset();
    desk().key(XK_s, modifiers);
    std::map<std::string, std::string> text;
    const std::filesystem::path path = the_file();
    EXPECT_THAT(path.filename().string(), HasSubstr("timeline"));
    const io::Image image = test::read_png(path, &text);
    EXPECT_EQ(image.width, modifiers == kShift ? 3200 : 6400);
    heights.push_back(image.height);
    EXPECT_EQ(text.at("simulated"), "true");
    EXPECT_EQ(text.at("range ns").substr(0, text.at("range ns").find(' ')), std::to_string(axis().begin_ns()));
    int kernel_pixels = 0;
    for (int y = 0; y < image.height; y += 8) {
      for (int x = 0; x < image.width; x += 4) {
        kernel_pixels += rgb_at(image, x, y) == rgb(ui::theme(ui::ThemeName::Dark)[Colour::Kernel]) ? 1 : 0;
      }
    }
    EXPECT_GT(kernel_pixels, 500);
  }
  EXPECT_EQ(heights[1], 2 * heights[0]);
  // The window goes on as before.
  desk().frames(3);
  EXPECT_GT(desk().place("timeline").width, 500);
}

TEST_F(FilesTest, TwoPicturesInOneSecondAreTwoFiles) {
  desk().key(XK_F12);
  ASSERT_TRUE(desk().until([&] { return desk().saved().size() == 1; }));
  desk().key(XK_F12);
  EXPECT_TRUE(desk().until([&] { return desk().saved().size() == 2; }));
}

TEST_F(FilesTest, APictureThatCannotBeWrittenSaysSo) {
  const std::string missing = (desk().home() / "no" / "such" / "folder").string();
  state().preferences.picture_folder = missing;
  desk().key(XK_F12);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_TRUE(state().toast->error);
  EXPECT_THAT(state().toast->text, HasSubstr(missing));
  state().toast.reset();
  desk().key(XK_e, kControl);
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, HasSubstr(missing));
}

TEST_F(FilesTest, CtrlESavesATraceThatOpensAgain) {
  for (const unsigned modifiers : {kControl, kControl | kShift}) {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    run({"log_interval=2"});
    wait_for_iterations(20);
    hold_still();
    desk().key(XK_e, modifiers);
    const std::filesystem::path path = the_file();
    EXPECT_THAT(path.string(), EndsWith(modifiers == kControl ? ".json" : ".json.gz"));
    const io::OpenedTrace opened = io::read_chrome_trace(path);
    EXPECT_TRUE(opened.own);
    EXPECT_EQ(opened.facts, model().facts());
    EXPECT_EQ(opened.facts.settings.at("log_interval"), "2");
    EXPECT_GT(opened.events_read, 100u);

    // Dropped on the window it is shown, whole and still.
    state().requests.files = {path};
    ASSERT_TRUE(desk().until([&] { return !model().live(); }));
    desk().frames(3);
    EXPECT_EQ(model().source().file(), path);
    EXPECT_TRUE(model().simulated()) << "what was simulated stays labelled so";
    EXPECT_GE(model().analysis().records().size(), 15u);
    EXPECT_NEAR(axis().to_px(model().extent().first), axis().left_px(), 1);
    EXPECT_NEAR(axis().to_px(model().extent().second), axis().right_px(), 1);
    EXPECT_FALSE(desk().has_place("pause"));
    EXPECT_FALSE(desk().has_place("knob.log_interval"));
    // Keys of a run do nothing to a file.
    for (const unsigned long key : {XK_space, XK_r, XK_bracketright, XK_p, XK_b, XK_comma, XK_1, XK_2, XK_l}) {
      desk().key(key);
    }
    EXPECT_FALSE(model().live());
    desk().key(XK_f);
    EXPECT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
}

// With our own dialog: a part of the name is typed, Enter opens it; saved again under another name, over an old file
// only when confirmed.
TEST_F(FilesTest, CtrlOOpensATraceAndAltESavesIt) {
  state().preferences.system_dialogs = false;
  state().preferences.recent_files.clear();
  hold_still();
  const std::filesystem::path path = desk().home() / "mine.json";
  io::write_chrome_trace(path, model().trace(), model().facts());
  state().preferences.recent_files = {(desk().home() / "gone.json").string(), path.string()};
  desk().key(XK_o, kControl);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.row.0") && ImGui::GetIO().WantTextInput; }));
  EXPECT_THAT(state().files.own.recent, testing::ElementsAre(path)) << "what is gone is not offered";
  desk().type("mine");
  ASSERT_TRUE(desk().until([&] { return state().files.own.shown.size() == 1; }));
  desk().key(XK_Return);
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  EXPECT_EQ(model().source().file(), path);
  EXPECT_EQ(state().preferences.recent_files.front(), path.string());
  EXPECT_FALSE(state().overlays.open);
  write("old.json", "old");
  desk().key(XK_e, kAlt);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.confirm") && ImGui::GetIO().WantTextInput; }));
  desk().frames(3);
  desk().type("old");  // the proposed name is selected
  ASSERT_TRUE(desk().until([&] { return state().files.own.typed == "old"; }));
  desk().key(XK_Return);
  ASSERT_TRUE(desk().until([&] { return !state().files.own.replaces.empty(); }));
  EXPECT_EQ(std::filesystem::file_size(desk().home() / "old.json"), 3u) << "not without asking";
  desk().click("files.confirm");
  const auto saved = [&] { return std::filesystem::file_size(desk().home() / "old.json") > 3; };
  EXPECT_TRUE(desk().until(saved));
  EXPECT_TRUE(desk().until([&] { return !state().pictures.saving.busy(); }));
  EXPECT_EQ(io::read_chrome_trace(desk().home() / "old.json").facts, model().facts());
}

TEST_F(FilesTest, ABrokenFileIsNamedAndWhatWasThereStays) {
  const std::filesystem::path broken = write("broken.json", "{\"traceEvents\": [ {");
  const std::uint64_t before = model().generation();
  for (const std::filesystem::path& path : {broken, desk().home() / "missing.json"}) {
    state().toast.reset();
    state().requests.files = {path};
    ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
    EXPECT_TRUE(state().toast->error);
    EXPECT_THAT(state().toast->text, HasSubstr(path.string()));
    EXPECT_TRUE(model().live());
    EXPECT_EQ(model().generation(), before);
    wait_for_iterations(model().analysis().records().size() + 5);  // and goes on
  }
}

}  // namespace
}  // namespace lanescope::ui_test
