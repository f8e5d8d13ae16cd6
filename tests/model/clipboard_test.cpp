// A picture for the clipboard goes to the program of the session: on a real display in tests/window/clipboard_test.cpp.
#include "base/platform/desktop.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>
#include <vector>

#include "io/scratch.h"

namespace lanescope::ui {
namespace {

using testing::HasSubstr;

// An environment variable for as long as it lives.
class Environment {
 public:
  Environment(const char* name, const char* value) : name_(name) {
    if (const char* before = std::getenv(name)) before_ = before;
    value ? setenv(name, value, 1) : unsetenv(name);
  }
  ~Environment() { before_ ? setenv(name_, before_->c_str(), 1) : unsetenv(name_); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;

 private:
  const char* name_;
  std::optional<std::string> before_;
};

class ClipboardTest : public io::Scratch {
 protected:
  std::string refused() {
    return io::error_of([&] { base::copy_png(picture_); });
  }
  void program(const std::string& name, const std::string& does) {
    std::filesystem::permissions(write(name, "#!/bin/sh\nPATH=/usr/bin:/bin\n" + does + "\n"),
                                 std::filesystem::perms::owner_all);
  }
  /// Says with what it was run, and what it got.
  void program(const std::string& name) {
    program(name, "echo \"$0 $@\" > " + file("said").string() + "; cat > " + file("taken").string());
  }

  const std::vector<std::uint8_t> picture_ = std::vector<std::uint8_t>(300'000, 7);
  const Environment programs_{"PATH", folder_.c_str()}, no_wayland_{"WAYLAND_DISPLAY", nullptr},
      x11_{"DISPLAY", ":98761"};
};

TEST_F(ClipboardTest, SaysWhyThereIsNone) {
  EXPECT_THAT(refused(), HasSubstr("install the package xclip"));
  {
    const Environment wayland("WAYLAND_DISPLAY", "wayland-9");
    EXPECT_THAT(refused(), HasSubstr("install the package wl-clipboard"));
  }
  program("xclip", "exit 1");  // which reads nothing: that must not end this program
  EXPECT_THAT(refused(), HasSubstr("xclip: it failed"));
  const Environment nowhere("DISPLAY", nullptr);
  EXPECT_THAT(refused(), HasSubstr("there is no display"));
}

TEST_F(ClipboardTest, TheProgramOfTheSessionGetsThePicture) {
  program("xclip");
  const auto given = [&] {
    base::copy_png(picture_);
    EXPECT_EQ(io::read_bytes(file("taken")), std::string(picture_.begin(), picture_.end()));
    return io::read_bytes(file("said"));
  };
  const std::string xclip = file("xclip").string() + " -selection clipboard -t image/png\n";
  EXPECT_EQ(given(), xclip);
  const Environment wayland("WAYLAND_DISPLAY", "wayland-9");
  EXPECT_EQ(given(), xclip) << "which Wayland's desktop hands on";
  program("wl-copy");
  EXPECT_EQ(given(), file("wl-copy").string() + " --type image/png\n");
}

}  // namespace
}  // namespace lanescope::ui
