// The window on the screen: GLFW, OpenGL and ImGui around a Shell.
#pragma once

#include <chrono>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/translate.h"
#include "model/source.h"
#include "render/coarseness.h"
#include "render/damage.h"
#include "render/magnifier.h"
#include "session/session.h"
#include "shell/bindings.h"
#include "timeline/theme.h"
#include "window/shell.h"
#include "window/visibility.h"

struct GLFWwindow;

namespace lanescope::ui {

/// The speed at which a window's run starts: slow enough that single waits can be seen.
inline constexpr double kWindowSpeed = 0.01;

struct WindowOptions {
  session::SessionOptions session;
  /// Start with this experiment (id or name) instead. Empty: with the first one, unless `session` sets its own workload
  /// or settings; it runs on the session's device.
  std::string experiment;
  const lesson::Lesson* lesson = nullptr;   ///< begin with this lesson instead
  std::string student;                      ///< whose answers to the lesson are kept
  bool plain = false;                       ///< no experiment, regardless of `session`
  double speed = kWindowSpeed;              ///< speed of the run, instead of session.speed
  std::vector<std::filesystem::path> open;  ///< show this trace, or these as one, instead of a run
  /// Show this source instead. It is given how much memory its events may take up.
  std::function<std::unique_ptr<Source>(std::size_t memory_bytes)> source;
  std::optional<std::size_t>
      memory_cap_bytes;                    ///< for events, instead of session.memory_cap_bytes; empty: the saved one
  std::optional<ThemeName> theme;          ///< empty: the saved one
  std::optional<base::Language> language;  ///< empty: the saved one
  std::filesystem::path shader_dir;        ///< reload shaders from here during development; empty: the embedded ones
  bool frames_unlimited = false;           ///< as many frames as possible (for measuring)
  bool first_start = false;                ///< as if started for the first time; saves nothing (for measuring)
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
  std::string failure() const;
  Shell& shell() { return *shell_; }
  GLFWwindow* handle() { return window_; }
  /// Minimised or covered: frame() draws nothing.
  bool hidden() { return visibility_->hidden(); }
  /// Frames so far; and the time of each in which something changed, excluding waits.
  std::uint64_t frames() const { return frames_; }
  const std::vector<float>& frame_times_ms() const { return frame_times_ms_; }
  void forget_frame_times() { frame_times_ms_.clear(); }
  /// Writes them to their file.
  void keep_preferences();

 private:
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void on_content_scale(GLFWwindow* window, float x, float y);
  static void on_refresh(GLFWwindow* window);
  static void on_drop(GLFWwindow* window, int count, const char** paths);
  void open_window(const Preferences& remembered);
  // These differ between a desktop and a page: see loop_desktop.cpp, loop_browser.cpp.
  void settle_in();
  float content_scale() const;
  float coordinates_per_unscaled_pixel() const;  // 1 where the display has a scale of 1
  void check_context();                          // throws base::FileError if it is lost
  void close_window();
  std::future<Fonts> letters_meanwhile(const Preferences& preferences);
  void begin(const WindowOptions& options, Preferences preferences);
  void begin_run(const session::SessionOptions& session);
  void key(int key, int action, int modifiers);
  void hold_keys();
  void follow_full_screen();
  void leave_full_screen();
  void refresh_look();
  void wait_for_work();
  void wait_unseen();
  void look_at_dialog();
  void new_frame();
  void click_focused_control();
  void draw_frame();
  bool paint_frame(int width, int height);  // false: nothing has changed
  bool draws_changes_only() const;
  std::vector<PixelArea> areas_in_turn(std::span<const PixelGround> grounds);
  void magnify(float factor, int width, int height);
  io::Image paint(float scale, ThemeName theme);

  WindowOptions options_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<Shell> shell_;
  std::optional<Visibility> visibility_;
  bool keeps_content_ = false;
  Damage damage_;
  Coarseness coarseness_;
  double touched_s_ = 0;  ///< when something outside the lanes was last pointed at, or a key pressed
  Magnifier magnifier_;
  int drawn_width_ = 0, drawn_height_ = 0;
  int lost_ = 0;                        ///< frames in which everything is drawn again
  std::unique_ptr<ImFontAtlas> atlas_;  ///< outlives ImGui's context; null: that has one of its own
  Fonts fonts_;
  float fonts_scale_ = 0;
  std::optional<base::Language> fonts_language_;
  MissingLetters missing_letters_;
  std::size_t fonts_letters_ = 0;  // bytes of missing_letters_.text() that the fonts cover
  std::uint64_t fonts_own_ = 0;    // OwnFilesState::version, whose texts the fonts cover
  std::optional<ThemeName> theme_shown_;
  int frames_owed_ = 3;  // ImGui needs a few frames to settle after an event
  std::chrono::steady_clock::time_point last_frame_{};
  KeyPresses keys_;
  std::vector<int> pressed_;  ///< keys pressed since the last frame
  Rect windowed_{};           ///< the window's place before it went full screen
  bool was_full_screen_ = false;
  std::chrono::steady_clock::time_point looked_for_files_{};  ///< in a page
  std::uint64_t frames_ = 0;
  std::vector<float> frame_times_ms_;
};

/// Opens a window and runs it until it is closed.
void run_window(const WindowOptions& options);

}  // namespace lanescope::ui
