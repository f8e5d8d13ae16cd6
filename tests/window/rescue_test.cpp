// A window that cannot go on leaves its run in a file: the X server has gone, the terminal was closed, the graphics
// driver was reset.
#include "shell/rescue.h"

#include <X11/keysym.h>
#include <epoxy/gl.h>
#include <fcntl.h>
#include <gmock/gmock.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>
#include <xcb/xcb.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <string>
#include <thread>

#include "base/error.h"
#include "io/trace_file.h"
#include "window/desk.h"
#include "window/hands.h"

namespace lanescope::ui_test {
namespace {

namespace fs = std::filesystem;
using testing::HasSubstr;

template <typename Done>
bool until(const Done& done) {
  const auto deadline = std::chrono::steady_clock::now() + std::chrono::minutes(2);
  while (!done()) {
    if (std::chrono::steady_clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return true;
}

std::vector<fs::path> files_in(const fs::path& folder) {
  std::vector<fs::path> files;
  std::error_code none;
  for (fs::directory_iterator it(folder, none), end; !none && it != end; it.increment(none))
    files.push_back(it->path());
  return files;
}

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};
template <typename T>
using Reply = std::unique_ptr<T, Free>;

/// The program, as a process of its own on an X server of its own.
class OutsideTest : public testing::Test {
 protected:
  static constexpr int kWidth = 1280, kHeight = 800;  // of the screen

  OutsideTest() {
    std::string pattern = (fs::temp_directory_path() / "lanescope-rescue-XXXXXX").string();
    home_ = mkdtemp(pattern.data());
    fs::create_directories(home_ / ".config" / "lanescope");
    std::ofstream(home_ / ".config" / "lanescope" / "settings.toml")
        << "tour_done = true\nwindow_width = 900\nwindow_height = 600\n";
  }
  ~OutsideTest() override {
    for (const pid_t process : {program_, server_}) {
      if (process <= 0) continue;
      ::kill(process, SIGKILL);
      ::waitpid(process, nullptr, 0);
    }
    fs::remove_all(home_);
  }

  void start_server() {
    int number[2];
    ASSERT_EQ(::pipe(number), 0);
    server_ = ::fork();
    ASSERT_GE(server_, 0);
    if (server_ == 0) {
      const std::string out = std::to_string(number[1]);
      const std::string screen = std::to_string(kWidth) + "x" + std::to_string(kHeight) + "x24";
      ::execlp("Xvfb", "Xvfb", "-displayfd", out.c_str(), "-screen", "0", screen.c_str(), "-nolisten", "tcp",
               "-noreset", nullptr);  // it would start anew when has_picture() leaves it
      ::_exit(127);
    }
    ::close(number[1]);
    std::string said(16, '\0');
    const ssize_t size = ::read(number[0], said.data(), said.size());  // it says it when it takes connections
    ::close(number[0]);
    ASSERT_GT(size, 0) << "Xvfb did not start";
    display_ = ":" + std::to_string(std::atoi(said.c_str()));
  }
  void start_program() {
    program_ = ::fork();
    ASSERT_GE(program_, 0);
    if (program_ > 0) return;
    for (const char* name : {"XDG_CONFIG_HOME", "XDG_STATE_HOME", "XAUTHORITY"}) unsetenv(name);
    setenv("HOME", home_.c_str(), 1);
    setenv("DISPLAY", display_.c_str(), 1);
    setenv("LANESCOPE_CUDA", "off", 1);
    setenv("LC_ALL", "C.UTF-8", 1);
    ::dup2(::open((home_ / "said").c_str(), O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    ::execl(LANESCOPE_BINARY, LANESCOPE_BINARY, "--workload", "linear-mse", "--device", "cpu", "--lang", "en", nullptr);
    ::_exit(127);
  }
  /// Whether there is a window for which `is_it` holds: is_it(connection, window).
  template <class IsIt>
  bool has_window(IsIt&& is_it) const {
    xcb_connection_t* const server = xcb_connect(display_.c_str(), nullptr);
    bool found = false;
    if (xcb_connection_has_error(server) == 0) {
      const xcb_window_t root = xcb_setup_roots_iterator(xcb_get_setup(server)).data->root;
      const Reply<xcb_query_tree_reply_t> tree(xcb_query_tree_reply(server, xcb_query_tree(server, root), nullptr));
      const xcb_window_t* const windows = tree ? xcb_query_tree_children(tree.get()) : nullptr;
      for (int i = 0; tree && i < xcb_query_tree_children_length(tree.get()) && !found; ++i) {
        found = is_it(server, windows[i]);
      }
    }
    xcb_disconnect(server);
    return found;
  }
  /// Its window is there, entirely on the screen, and has this size.
  bool has_size(int width, int height) const {
    return has_window([&](xcb_connection_t* server, xcb_window_t window) {
      const Reply<xcb_get_geometry_reply_t> at(
          xcb_get_geometry_reply(server, xcb_get_geometry(server, window), nullptr));
      return at && at->width == width && at->height == height && at->x >= 0 && at->y >= 0 && at->x + width <= kWidth &&
             at->y + height <= kHeight;
    });
  }
  /// Its window shows a picture, not only a background: its run goes on.
  bool has_picture() const {
    return has_window([](xcb_connection_t* server, xcb_window_t window) {
      // A row of pixels in the middle; an error where the window is not mapped yet.
      const Reply<xcb_get_image_reply_t> row(xcb_get_image_reply(
          server, xcb_get_image(server, XCB_IMAGE_FORMAT_Z_PIXMAP, window, 0, 300, 600, 1, ~0u), nullptr));
      if (!row) return false;
      const std::uint8_t* const bytes = xcb_get_image_data(row.get());
      return std::memcmp(bytes, bytes + 4, 599 * 4) != 0;
    });
  }
  bool shows_its_window() {
    bool ended = false;
    const bool shown = until([&] {
      ended = ::waitpid(program_, nullptr, WNOHANG) == program_;
      return ended || has_picture();
    });
    if (ended) program_ = -1;
    return shown && !ended;
  }
  std::string said() const {
    std::ifstream file(home_ / "said");
    return {std::istreambuf_iterator<char>(file), {}};
  }
  int status_of_program() {
    int status = -1;
    EXPECT_EQ(::waitpid(program_, &status, 0), program_);
    program_ = -1;
    return status;
  }
  /// What was kept can be read, and is a run.
  void expect_a_run_in(const fs::path& folder) const {
    const auto kept = files_in(folder);
    ASSERT_EQ(kept.size(), 1u) << said();
    EXPECT_THAT(said(), HasSubstr(kept[0].string()));
    EXPECT_GT(io::read_trace(kept[0]).trace->counts().recorded, 0u);
  }
  fs::path rescued() const { return home_ / ".local" / "state" / "lanescope" / "rescued"; }

  fs::path home_;
  std::string display_;
  pid_t server_ = -1, program_ = -1;
};

TEST_F(OutsideTest, TheRunIsSavedIfTheXServerIsKilled) {
  start_server();
  start_program();
  ASSERT_TRUE(shows_its_window()) << said();
  ::kill(server_, SIGKILL);
  const int status = status_of_program();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_THAT(said(), HasSubstr("lanescope: the display has gone; the run was saved"));
  expect_a_run_in(rescued());
}

TEST_F(OutsideTest, TheRunIsSavedIfTheTerminalIsClosed) {
  start_server();
  start_program();
  ASSERT_TRUE(shows_its_window()) << said();
  ::kill(program_, SIGHUP);
  const int status = status_of_program();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_THAT(said(), HasSubstr("lanescope: the window was ended from outside; the run was saved"));
  expect_a_run_in(rescued());
}

// It is the only one, so there is none on which the window could stay in full screen.
TEST_F(OutsideTest, AFullScreenWindowOutlivesItsMonitor) {
  start_server();
  start_program();
  ASSERT_TRUE(shows_its_window()) << said();
  Hands hands(display_.c_str());
  hands.key(XK_F11, true);
  hands.key(XK_F11, false);
  ASSERT_TRUE(until([&] { return has_size(kWidth, kHeight); }));
  // It also makes the screen smaller, which this server refuses: its status says nothing.
  const std::string unplug = "xrandr --display " + display_ + " --output screen --off >/dev/null 2>&1";
  [[maybe_unused]] const int ignored = std::system(unplug.c_str());
  EXPECT_TRUE(until([&] { return has_size(900, 600); })) << "not where it was before";
  EXPECT_TRUE(until([&] { return has_picture(); }));
  ::kill(program_, SIGHUP);
  status_of_program();
  expect_a_run_in(rescued());
}

// The disk is full where it would go: a folder that cannot be made stands for it.
TEST_F(OutsideTest, ItSaysSoIfTheRunCannotBeSaved) {
  start_server();
  std::ofstream(home_ / ".local") << "no folder";
  start_program();
  ASSERT_TRUE(shows_its_window()) << said();
  ::kill(server_, SIGKILL);
  const int status = status_of_program();
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 1) << status;
  EXPECT_THAT(said(), HasSubstr("lanescope: the display has gone; the run is lost: "));
}

class RescueTest : public WindowTest {};

GLenum reset_by_another() { return GL_INNOCENT_CONTEXT_RESET; }

TEST_F(RescueTest, TheRunIsSavedIfTheGraphicsDriverWasReset) {
  session::SessionOptions options = usual().session;
  options.device = "cpu";  // nobody needs a simulated run back
  state().requests.run = options;
  ASSERT_TRUE(desk().until([&] { return !model().simulated() && model().trace().counts().recorded > 0; }));
  if (epoxy_gl_version() < 45 && !epoxy_has_gl_extension("GL_KHR_robustness")) {
    GTEST_SKIP() << "this driver does not tell";
  }
  const auto before = epoxy_glGetGraphicsResetStatus;
  epoxy_glGetGraphicsResetStatus = reset_by_another;
  std::string why;
  try {
    desk().frames(20);
  } catch (const base::FileError& error) {
    why = error.what();
  }
  epoxy_glGetGraphicsResetStatus = before;
  EXPECT_THAT(why, HasSubstr("the graphics driver was reset; the run was saved"));
  const auto kept = ui::take_rescued_run(ui::rescue_folder());
  ASSERT_TRUE(kept.has_value());
  EXPECT_GT(io::read_trace(*kept).trace->counts().recorded, 0u);
}

}  // namespace
}  // namespace lanescope::ui_test
