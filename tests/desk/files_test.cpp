// What goes out and comes in: pictures, traces, opened files. And the picture shows what it should.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <imgui.h>
#include <sys/ioctl.h>
#include <sys/stat.h>

#include <cstdio>
#include <fstream>
#include <memory>

#include "desk/desk.h"
#include "io/png.h"
#include "io/trace_file.h"
#include "model/source/live_source.h"
#include "read_png.h"
#include "shell/write_tables.h"
#include "timeline/theme.h"

namespace lanescope::ui_test {
namespace {

using testing::EndsWith;
using testing::HasSubstr;
using testing::SizeIs;
using trace::Event;
using trace::LaneKind;
using ui::Colour;

class FilesTest : public DeskTest {
 protected:
  void SetUp() override {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().preferences.picture_folder = desk().pictures().string();
    DeskTest::SetUp();
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
  /// Into the run's trace, as another thread of its program.
  void record(std::size_t count) {
    capture::Recorder& recorder = dynamic_cast<ui::LiveSource&>(model().source()).session().recorder();
    trace::LaneInfo info;
    info.kind = LaneKind::Calls;
    info.tid = 4711;
    Event e;
    e.lane = recorder.lane(info);
    e.kind = trace::EventKind::Call;
    e.name = recorder.name("cudaLaunchKernel");
    e.start_ns = model().trace().extent().second;
    const auto writer = recorder.open_writer();
    for (std::size_t i = 0; i < count; ++i, e.start_ns += 100) {
      e.end_ns = e.start_ns + 1 + static_cast<Nanoseconds>((i * 2'654'435'761U >> 7) % 97);  // hardly compressible
      writer->write(e);
    }
  }
};

unsigned long rgb(std::uint32_t colour) { return (colour & 255) << 16 | (colour & 0xff00) | (colour >> 16 & 255); }

unsigned long rgb_at(const io::Image& image, int x, int y) {
  const std::size_t at =
      (static_cast<std::size_t>(y) * static_cast<std::size_t>(image.width) + static_cast<std::size_t>(x)) * 4;
  return static_cast<unsigned long>(image.pixels[at]) << 16 | static_cast<unsigned long>(image.pixels[at + 1]) << 8 |
         image.pixels[at + 2];
}

TEST_F(FilesTest, AScreenshotIsAPictureOfTheWindow) {
  desk().act(ui::Action::Screenshot);
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
}

// The timeline alone is as wide as a picture is at that scale, and says what it shows.
TEST_F(FilesTest, TheTimelineIsWrittenAtTwiceAndFourTimesTheSize) {
  hold_still();
  std::vector<int> heights;
  for (const ui::Action action : {ui::Action::TimelinePicture2x, ui::Action::TimelinePicture4x}) {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    state().toast.reset();
    desk().act(action);
    std::map<std::string, std::string> text;
    const std::filesystem::path path = the_file();
    EXPECT_THAT(path.filename().string(), HasSubstr("timeline"));
    const io::Image image = test::read_png(path, &text);
    EXPECT_EQ(image.width, action == ui::Action::TimelinePicture2x ? 3200 : 6400);
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
  desk().key(key::F12);
  ASSERT_TRUE(desk().until([&] { return desk().saved().size() == 1; }));
  desk().key(key::F12);
  EXPECT_TRUE(desk().until([&] { return desk().saved().size() == 2; }));
}

TEST_F(FilesTest, APictureThatCannotBeWrittenSaysSo) {
  const std::string missing = (desk().home() / "no" / "such" / "folder").string();
  state().preferences.picture_folder = missing;
  desk().key(key::F12);
  ASSERT_TRUE(desk().until([&] { return state().toast.has_value(); }));
  EXPECT_TRUE(state().toast->error);
  EXPECT_THAT(state().toast->text, HasSubstr(missing));
  state().toast.reset();
  desk().act(ui::Action::SaveTrace);
  ASSERT_TRUE(desk().until([&] { return state().toast && state().toast->error; }));
  EXPECT_THAT(state().toast->text, HasSubstr(missing));
}

TEST_F(FilesTest, ASavedTraceOpensAgain) {
  for (const ui::Action action : {ui::Action::SaveTrace, ui::Action::SaveTraceCompressed}) {
    for (const auto& path : desk().saved()) std::filesystem::remove(path);
    run({"log_interval=2"});
    wait_for_iterations(20);
    hold_still();
    desk().act(action);
    const std::filesystem::path path = the_file();
    EXPECT_THAT(path.string(), EndsWith(action == ui::Action::SaveTrace ? ".json" : ".json.gz"));
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
    for (const int key : {key::Space, key::R, key::RightBracket, key::P, key::B, key::Comma, key::L}) {
      desk().key(key);
    }
    EXPECT_FALSE(model().live());
    desk().key(key::F);
    EXPECT_TRUE(desk().until([&] { return !state().view.moving(); }));
  }
}

// The file is a pipe that nobody reads yet, so its writer stands still in the middle. Whatever is shown next is shown
// meanwhile: a frame that waited for the writer would never end. Then the file is read, and nothing is missing.
TEST_F(FilesTest, ASaveGoesOnWhateverIsShownNext) {
  constexpr std::size_t kMany = 10'000'000;
  const std::filesystem::path small = desk().home() / "small.json", pipe = desk().home() / "many.lanescope",
                              copy = desk().home() / "copy.lanescope";
  io::write_chrome_trace(small, model().trace(), model().facts());
  const experiment::Experiment& of_two_devices = experiment::experiment_named("P24");
  state().requests.experiment = {&of_two_devices, experiment::Side::Before};
  ASSERT_TRUE(desk().until([&] { return state().experiment.active.has_value(); }));
  wait_for_iterations(3);
  record(kMany);
  ASSERT_EQ(mkfifo(pipe.c_str(), 0600), 0);
  ui::save_trace_to(state(), pipe);
  const int end = ::open(pipe.c_str(), O_RDONLY | O_NONBLOCK);
  ASSERT_GE(end, 0);
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> out(::fdopen(end, "rb"), &std::fclose);
  int written = 0;
  ASSERT_TRUE(desk().until([&] { return ::ioctl(end, FIONREAD, &written) == 0 && written > 0; }));

  const auto shows = [&](const char* what, const auto& ask) {
    SCOPED_TRACE(what);
    const std::uint64_t before = model().generation();
    ask();
    ASSERT_TRUE(desk().until([&] { return model().generation() != before; }));
    desk().frames(3);
    EXPECT_TRUE(state().pictures.saving.busy()) << "nobody has read it";
  };
  shows("R", [&] { desk().key(key::R); });
  wait_for_iterations(3);
  shows("Tab", [&] { desk().key(key::Tab); });
  wait_for_iterations(3);
  EXPECT_EQ(state().experiment.active->side(), experiment::Side::After);
  shows("a dropped file", [&] { state().requests.files = {small}; });
  EXPECT_EQ(model().source().file(), small);

  ASSERT_EQ(::fcntl(end, F_SETFL, 0), 0);  // from now on, wait for what is written
  {
    std::ofstream into(copy, std::ios::binary);
    std::vector<char> bytes(1 << 20);
    while (const std::size_t n = std::fread(bytes.data(), 1, bytes.size(), out.get())) {
      into.write(bytes.data(), static_cast<std::streamsize>(n));
    }
  }
  EXPECT_TRUE(desk().until([&] { return !state().pictures.saving.busy(); }));
  ASSERT_TRUE(state().toast);
  EXPECT_EQ(state().toast->text, "Trace saved: " + pipe.string());
  const io::OpenedTrace opened = io::read_trace(copy);
  EXPECT_EQ(opened.incomplete, "");
  EXPECT_EQ(opened.facts.workload, of_two_devices.workload);
  EXPECT_GT(opened.events_read, kMany);
  EXPECT_EQ(opened.trace->counts().evicted, 0u);
}

// A part of the name is typed and completed, Enter opens it; saved again under another name, over an old file only when
// confirmed.
TEST_F(FilesTest, CtrlOOpensATraceAndItIsSavedAs) {
  hold_still();
  const std::filesystem::path path = desk().home() / "mine.json";
  io::write_chrome_trace(path, model().trace(), model().facts());
  state().preferences.recent_files = {path.string()};  // which says where to begin
  desk().key(key::O, kControl);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.row.0") && ImGui::GetIO().WantTextInput; }));
  desk().frames(3);
  EXPECT_EQ(state().files.field.typed, "~/");
  desk().type("min");
  desk().key(key::Tab);
  ASSERT_TRUE(desk().until([&] { return state().files.field.typed == "~/mine.json"; }));
  desk().frames(3);
  desk().type("x");  // after what was completed
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.problem"); })) << state().files.field.typed;
  desk().frames(3);
  desk().key(key::Backspace);
  EXPECT_TRUE(desk().until([&] { return !desk().has_place("files.problem"); }));
  desk().key(key::Enter);
  ASSERT_TRUE(desk().until([&] { return !model().live(); }));
  EXPECT_EQ(model().source().file(), path);
  EXPECT_EQ(state().preferences.recent_files.front(), path.string());
  EXPECT_FALSE(state().overlays.open);
  write("old.json", "old");
  desk().act(ui::Action::SaveTraceAs);
  ASSERT_TRUE(desk().until([&] { return desk().has_place("files.confirm") && ImGui::GetIO().WantTextInput; }));
  desk().frames(3);
  desk().type("ol");  // the proposed name is selected
  ASSERT_TRUE(desk().until([&] { return state().files.field.typed == "~/ol"; }));
  desk().click("files.row.0");
  ASSERT_TRUE(desk().until([&] { return !state().files.field.replaces.empty(); }));
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
