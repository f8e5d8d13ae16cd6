// The window on the screen: GLFW, OpenGL and ImGui around a Shell.
#pragma once

#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/translate.h"
#include "session/session.h"
#include "shell/bindings.h"
#include "timeline/theme.h"
#include "window/shell.h"

struct GLFWwindow;

namespace lanescope::ui {

/// The speed at which a window's run starts: slow enough that single waits can be seen.
inline constexpr double kWindowSpeed = 0.01;

struct WindowOptions {
  session::SessionOptions session;
  /// Begin with this experiment (id or name) instead. Empty: with the first one, unless `session` asks for a workload
  /// or settings of its own; it runs on the session's device.
  std::string experiment;
  bool plain = false;                         ///< no experiment, whatever `session` says
  double speed = kWindowSpeed;                ///< of the run, instead of session.speed
  std::optional<std::filesystem::path> open;  ///< show this trace file instead of a run
  std::optional<ThemeName> theme;             ///< else as remembered
  std::optional<base::Language> language;     ///< the same
  std::filesystem::path shader_dir;           ///< reload shaders from here while developing; empty: the embedded ones
  bool frames_unlimited = false;              ///< as many frames as the machine can (measuring)
};

class Window {
 public:
  /// Throws base::UsageError or base::FileError (no display, no OpenGL 3.3: one line that names the headless command).
  explicit Window(const WindowOptions& options);
  ~Window();  ///< remembers the preferences
  Window(const Window&) = delete;
  Window& operator=(const Window&) = delete;

  /// Waits for something to show, draws one frame. False when the window was closed.
  bool frame();
  /// Until it is closed. Throws base::FileError when the file it was opened for could not be read, and nothing else was
  /// shown instead: the window has said so too.
  void run();
  /// Of that file, why; empty otherwise.
  std::string failure() const;
  Shell& shell() { return *shell_; }
  GLFWwindow* handle() { return window_; }
  /// Frames drawn so far; the time each took, wait excluded.
  std::uint64_t frames() const { return frames_; }
  const std::vector<float>& frame_times_ms() const { return frame_times_ms_; }
  void forget_frame_times() { frame_times_ms_.clear(); }

 private:
  static void on_key(GLFWwindow* window, int key, int scancode, int action, int modifiers);
  static void on_content_scale(GLFWwindow* window, float x, float y);
  static void on_drop(GLFWwindow* window, int count, const char** paths);
  void open_window();
  void close_window();
  void begin(const WindowOptions& options);
  void begin_run(const session::SessionOptions& session);
  void key(int key, int action, int modifiers);
  void hold_keys();
  void follow_full_screen();
  void refresh_look();
  void wait_for_work();
  void draw_frame();
  io::Image paint(float scale, ThemeName theme);

  WindowOptions options_;
  GLFWwindow* window_ = nullptr;
  std::unique_ptr<Shell> shell_;
  Fonts fonts_;
  float fonts_scale_ = 0;
  std::optional<base::Language> fonts_language_;
  std::optional<ThemeName> theme_shown_;
  int frames_owed_ = 3;  // ImGui settles in a few frames after something happened
  std::chrono::steady_clock::time_point last_frame_{};
  KeyPresses keys_;
  Rect windowed_{};  ///< where the window was before it filled the screen
  std::uint64_t frames_ = 0;
  std::vector<float> frame_times_ms_;
};

/// Opens a window and runs it until it is closed.
void run_window(const WindowOptions& options);

struct FrameMeasurement {
  double frames_per_second = 0, p99_ms = 0;
};
/// Draws a live run for `seconds` at 1600x900 without a limit on the frames.
FrameMeasurement measure_frames(WindowOptions options, double seconds);
/// The share of one core that the program uses while the run is paused and there is no input.
double measure_rest(WindowOptions options, double seconds);

}  // namespace lanescope::ui
