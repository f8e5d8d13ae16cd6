// The window on a display: GLFW and OpenGL around a Screen.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/platform/display_server.h"
#include "render/damage.h"
#include "window/screen.h"

struct GLFWwindow;

namespace lanescope::ui {

/// Whether any part of a window is visible: a hidden one is not drawn. On X11 a window completely covered by others
/// counts as hidden; under a compositing window manager, and on Wayland, only a minimised window does, because the
/// program gets no more information.
class Visibility {
 public:
  explicit Visibility(GLFWwindow* window);
  /// Call once per frame or wait; it only checks a socket.
  bool hidden();

 private:
  GLFWwindow* window_;
  base::CoveredWindow x11_;
};

class Window {
 public:
  /// Throws base::UsageError or base::FileError (no display, no OpenGL 3.3: one line that names the headless command).
  explicit Window(const WindowOptions& options);
  ~Window();  ///< saves the preferences
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Waits until there is something to show, then draws one frame unless the window is hidden. False: the window was
  /// closed.
  bool frame();
  /// Runs until the window is closed, or a signal ends the program. Throws base::FileError if the file it was started
  /// with could not be read and nothing else was shown instead (the window has shown the error, too), or if the window
  /// could not go on: then with where its run was saved.
  void run();
  /// Why that file could not be read; otherwise empty.
  std::string failure() const { return screen_.failure(); }
  Shell& shell() { return screen_.shell(); }
  GLFWwindow* handle() { return window_; }
  /// Minimised or covered: frame() draws nothing.
  bool hidden() { return visibility_->hidden(); }
  /// Frames so far; and the time of each in which something changed, excluding waits.
  std::uint64_t frames() const { return screen_.frames(); }
  const std::vector<float>& frame_times_ms() const { return frame_times_ms_; }
  void forget_frame_times() { frame_times_ms_.clear(); }
  /// Writes them to their file.
  void keep_preferences();

 private:
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void on_content_scale(GLFWwindow* window, float x, float y);
  static void on_refresh(GLFWwindow* window);
  static void on_drop(GLFWwindow* window, int count, const char** paths);
  void open_window();
  // These differ between a desktop and a page: see loop_desktop.cpp, loop_browser.cpp.
  void settle_in();
  float content_scale() const;
  float coordinates_per_unscaled_pixel() const;  // 1 where the display has a scale of 1
  void check_context();                          // throws base::FileError if it is lost
  void close_window();
  void follow_full_screen();
  void leave_full_screen();
  void refresh_look();
  void wait_for_work();
  void wait_unseen();
  void draw_frame();
  bool paint_frame(int width, int height);  // false: nothing has changed
  bool draws_changes_only() const;
  std::vector<PixelArea> areas_in_turn(std::span<const PixelGround> grounds);

  WindowOptions options_;
  Screen screen_;
  GLFWwindow* window_ = nullptr;
  std::optional<Visibility> visibility_;
  bool keeps_content_ = false;
  Damage damage_;
  Coarseness coarseness_;
  double touched_s_ = 0;  ///< when something outside the lanes was last pointed at, or a key pressed
  int drawn_width_ = 0, drawn_height_ = 0;
  int lost_ = 0;  ///< frames in which everything is drawn again
  std::chrono::steady_clock::time_point last_frame_{};
  Rect windowed_{};  ///< the window's place before it went full screen
  bool was_full_screen_ = false;
  std::chrono::steady_clock::time_point looked_for_files_{};  ///< in a page
  std::vector<float> frame_times_ms_;
};

/// Opens a window and runs it until it is closed.
void run_window(const WindowOptions& options);

// What the window was built with.

/// "Dear ImGui 1.86, GLFW 3.3.8, FreeType 2.12.1"
std::string library_versions();

}  // namespace lanescope::ui
