// The picture panel, and what its buttons write.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "desk/desk.h"
#include "io/png.h"
#include "read_png.h"
#include "shell/selecting.h"

namespace lanescope::ui_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::Not;

class PicturesTest : public DeskTest {
 protected:
  void SetUp() override {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().preferences.picture_folder = desk().pictures().string();
    state().pictures.choices = {};
    state().pictures.written.clear();
    state().pictures.path.clear();
    DeskTest::SetUp();
    wait_for_iterations(6);
    hold_still();
    state().toast.reset();
  }
  void TearDown() override { state().overlays.open.reset(); }

  void open_panel() {
    desk().key(key::S, kControl);
    ASSERT_TRUE(desk().until([&] { return desk().has_place("picture.save") && preview_is_there(); }));
  }
  bool preview_is_there() {
    return state().pictures.preview.of == ui::preview_key(state()) &&
           state().pictures.preview.scale == state().pictures.choices.scale;
  }
  void choose(const std::string& place) {
    desk().click("picture." + place);
    ASSERT_TRUE(desk().until([&] { return preview_is_there(); }));
  }
  std::filesystem::path written() {
    EXPECT_TRUE(desk().until([&] { return state().toast && state().pictures.writing.empty(); }));
    EXPECT_FALSE(state().toast->error) << state().toast->text;
    EXPECT_THAT(state().toast->text, EndsWith(state().pictures.written.string()));
    return state().pictures.written;
  }
  static std::string text_of(const std::filesystem::path& path) {
    std::ifstream in(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
};

TEST_F(PicturesTest, WhatIsChosenIsWhatIsWritten) {
  open_panel();
  EXPECT_FALSE(state().pictures.preview.texture.empty());
  choose("scale.0.5x");
  const ui::PictureSize size = state().pictures.preview.size;
  EXPECT_EQ(size.width, 800);
  desk().click("picture.save");
  const auto timeline = written();
  EXPECT_THAT(timeline.filename().string(), HasSubstr("timeline"));
  std::map<std::string, std::string> text;
  const io::Image image = test::read_png(timeline, &text);
  EXPECT_EQ(image.width, size.width);
  EXPECT_EQ(image.height, size.height);
  EXPECT_EQ(text.at("simulated"), "true");

  choose("caption");
  EXPECT_LT(state().pictures.preview.size.height, size.height) << "without its caption it is lower";
  choose("format.SVG");
  state().toast.reset();
  desk().click("picture.save");
  const auto svg = written();
  EXPECT_EQ(svg.extension(), ".svg");
  EXPECT_THAT(text_of(svg), HasSubstr("SIMULATED"));
  EXPECT_THAT(text_of(svg), Not(HasSubstr("hatched: the CPU")));
  EXPECT_THAT(text_of(svg), HasSubstr("<lanescope:text key=\"simulated\">true<"));
}

// The window in another theme than it has, and larger; it goes on as it was.
TEST_F(PicturesTest, TheWindowAtAnotherScaleAndTheme) {
  open_panel();
  choose("subject.Window");
  EXPECT_FALSE(desk().has_place("picture.format.SVG"));
  choose("theme.Light");
  desk().click("picture.save");
  const io::Image image = test::read_png(written());
  EXPECT_EQ(image.width, 2880);
  EXPECT_EQ(image.height, 1920);
  const std::uint32_t panel = ui::theme(ui::ThemeName::Light)[ui::Colour::Panel];
  const std::size_t at = (1900 * 2880 + 20) * 4;  // the lower left corner: the status bar
  EXPECT_NEAR(image.pixels[at], panel & 255, 2);
  EXPECT_NEAR(image.pixels[at + 2], panel >> 16 & 255, 2);
  EXPECT_EQ(state().preferences.theme, ui::ThemeName::Dark);
  desk().frames(3);
  EXPECT_TRUE(desk().has_place("picture.save"));
}

TEST_F(PicturesTest, TheSelectionIsARangeItsLanesOrAnEventWithItsSurroundings) {
  open_panel();
  desk().click("picture.subject.Selection");
  ASSERT_TRUE(desk().until([&] { return !state().pictures.preview.problem.empty(); }));
  EXPECT_THAT(state().pictures.preview.problem, HasSubstr("nothing is selected"));
  desk().click("picture.save");
  desk().frames(3);
  EXPECT_TRUE(desk().saved().empty());

  const auto record = model().analysis().records()[3];
  ui::select_range(state(), record.start_ns, record.end_ns);
  ASSERT_TRUE(desk().until([&] { return preview_is_there() && state().pictures.preview.problem.empty(); }));
  const int height = state().pictures.preview.size.height;
  desk().click("picture.save");
  std::map<std::string, std::string> text;
  const auto range = written();
  EXPECT_THAT(range.filename().string(), HasSubstr("selection"));
  test::read_png(range, &text);
  EXPECT_EQ(text.at("range ns"), std::to_string(record.start_ns) + " " + std::to_string(record.end_ns));

  state().selection.lanes = {state().timeline.lanes().front()};
  ASSERT_TRUE(desk().until([&] { return preview_is_there(); }));
  EXPECT_LT(state().pictures.preview.size.height, height) << "one lane only";

  const auto calls = events_in_view(trace::LaneKind::Calls);
  ASSERT_FALSE(calls.empty());
  ui::select_event(state(), {calls[0].lane, 0, 0, calls[0]});
  state().pictures.written.clear();
  state().toast.reset();
  ASSERT_TRUE(desk().until([&] { return preview_is_there(); }));
  desk().click("picture.save");
  text.clear();
  test::read_png(written(), &text);
  const std::string shown = text.at("range ns");
  EXPECT_LE(std::stoll(shown), calls[0].start_ns);
  EXPECT_GE(std::stoll(shown.substr(shown.find(' '))), calls[0].end_ns);
}

TEST_F(PicturesTest, SaveAsTakesANameAndAsksBeforeItReplaces) {
  open_panel();
  desk().click("picture.path");
  desk().type("mine.svg");
  desk().click("picture.save_as");
  EXPECT_EQ(written(), desk().pictures() / "mine.svg");
  EXPECT_THAT(text_of(desk().pictures() / "mine.svg"), HasSubstr("<svg"));

  std::ofstream(desk().pictures() / "mine.svg") << "kept";
  state().toast.reset();
  desk().click("picture.save_as");
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, HasSubstr("Save as again"));
  EXPECT_EQ(text_of(desk().pictures() / "mine.svg"), "kept");
  state().toast.reset();
  desk().click("picture.save_as");
  written();
  EXPECT_THAT(text_of(desk().pictures() / "mine.svg"), HasSubstr("<svg"));

  state().pictures.path = "mine.jpg";
  desk().click("picture.save_as");
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, HasSubstr(".png, .svg"));
}

// The panel goes by its key, and by Escape; what was chosen stays chosen.
TEST_F(PicturesTest, ThePanelRemembersItsChoices) {
  open_panel();
  choose("scale.3x");
  desk().key(key::Escape);
  ASSERT_TRUE(desk().until([&] { return !desk().has_place("picture.save"); }));
  EXPECT_TRUE(state().pictures.preview.texture.empty());
  open_panel();
  EXPECT_EQ(state().pictures.choices.scale, 3);
  EXPECT_EQ(state().pictures.preview.size.width, 4800);
  // Nothing is redrawn while nothing changes.
  const auto before = state().pictures.preview.of;
  desk().frames(3);
  EXPECT_FALSE(state().pictures.busy(true));
  EXPECT_EQ(state().pictures.preview.of, before);
}

}  // namespace
}  // namespace lanescope::ui_test
