// Where there is no X server: the round trip on one is in tests/window/clipboard_test.cpp.
#include "base/platform/clipboard.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <optional>

#include "io/scratch.h"

namespace lanescope::ui {
namespace {

using base::Clipboard;

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

std::string refused() {
  Clipboard clipboard;
  const std::string said = refusal<base::FileError>([&] { clipboard.set_png({1, 2, 3}); });
  EXPECT_FALSE(clipboard.owned());
  return said;
}

using ClipboardTest = io::Scratch;

TEST_F(ClipboardTest, SaysWhyThereIsNone) {
  const Environment no_wayland("WAYLAND_DISPLAY", nullptr), no_x("DISPLAY", nullptr),
      no_programs("PATH", "/nonexistent");
  EXPECT_THAT(refused(), HasSubstr("there is no display"));
  {
    const Environment wayland("WAYLAND_DISPLAY", "wayland-9");
    EXPECT_THAT(refused(), HasSubstr("wl-copy"));
  }
  const Environment nobody("DISPLAY", ":98761");
  EXPECT_THAT(refused(), HasSubstr(":98761 does not answer"));
}

TEST_F(ClipboardTest, OnWaylandWlCopyGetsIt) {
  const auto program = [&](const std::string& says) {
    std::filesystem::permissions(write("wl-copy", "#!/bin/sh\n" + says + "\n"), std::filesystem::perms::owner_all);
  };
  const std::string path = folder_.string() + ":" + std::getenv("PATH");
  const Environment wayland("WAYLAND_DISPLAY", "wayland-9"), programs("PATH", path.c_str());
  program("echo \"$@\" > " + file("said").string() + "; cat > " + file("taken").string());
  std::vector<std::uint8_t> bytes(300'000);
  for (std::size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::uint8_t>(i * 7);
  Clipboard().set_png(bytes);
  EXPECT_EQ(io::read_bytes(file("taken")), std::string(bytes.begin(), bytes.end()));
  EXPECT_EQ(io::read_bytes(file("said")), "--type image/png\n");

  program("exit 1");  // which reads nothing: that must not end this program
  EXPECT_THAT(refused(), HasSubstr("it failed"));
}

}  // namespace
}  // namespace lanescope::ui
