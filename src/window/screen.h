// The program frame by frame, without a window system: what a Window shows on a display, and what tests drive. A frame
// is a list of what to draw (ImGui::GetDrawData()), so it needs no OpenGL either.
#pragma once

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <future>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/translate.h"
#include "experiment/session.h"
#include "model/source/source.h"
#include "shell/bindings.h"
#include "timeline/theme.h"
#include "window/shell.h"

struct ImFontAtlas;

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

/// What a hand does to a key.
enum class KeyMotion : std::uint8_t { Press, Repeat, Release };

class Screen {
 public:
  /// Reads the preferences. Throws base::UsageError or base::FileError for a file or a recorded run that is not there:
  /// before a window opens.
  explicit Screen(const WindowOptions& options);
  ~Screen();
  Screen(const Screen&) = delete;
  Screen& operator=(const Screen&) = delete;

  // The start, in this order; the back ends of ImGui are made between open() and begin().
  const Preferences& remembered() const { return remembered_; }
  /// Makes the letters of the first frame on another CPU, for a display of this scale. If the frame turns out to need
  /// others, they are made for it like those of any other.
  void make_letters(float content_scale);
  void open();                      ///< makes ImGui's context
  void begin(float content_scale);  ///< starts what the options say; throws what Model::start() throws
  /// Ends what is shown, before the back ends of ImGui and OpenGL go.
  void end() { shell_.reset(); }

  bool begun() const { return shell_ != nullptr; }
  Shell& shell() { return *shell_; }
  ShellState& state() { return shell_->state(); }
  /// Why the file that the program was started with could not be read, if nothing else was shown instead.
  std::string failure() const;
  /// Writes the preferences to their file, with the window's size in unscaled pixels.
  void keep_preferences(int width, int height);

  /// A key and its modifiers, by the numbers of shell/keys.h.
  void key(int key, KeyMotion motion, int modifiers);
  /// A letter that was typed, in Unicode: after the key() that typed it.
  void character(unsigned int letter);

  // A frame, in this order.
  /// Brings letters and colours up to date. True: there are other letters, of which a back end makes a texture.
  bool refresh_look();
  /// From ImGui's new frame to its Render(). Before it, ImGui is given the input; the pointer is really at x, y.
  void draw(float pointer_x, float pointer_y);
  /// After the frame was shown: carries out what was asked for in it.
  void finish_frame();

  std::uint64_t frames() const { return frames_; }
  /// ImGui needs a few frames to settle after an event.
  void owe_frames(int count = 3) { frames_owed_ = std::max(frames_owed_, count); }
  bool owes_frames() const { return frames_owed_ > 0; }
  /// The next frame may differ from the last.
  bool wants_frame() const { return shell_->animating() || owes_frames(); }
  /// Looks for what comes from outside, in place of a frame that nothing else needs.
  void look_around();

  /// The frame as a picture, at another scale or in another theme. Needs OpenGL, and ImGui's back end for it.
  io::Image paint(float scale, ThemeName theme);

 private:
  void begin_run(const session::SessionOptions& session);
  void hold_keys();
  void give_letters();
  void give_keys();
  void new_frame();

  WindowOptions options_;
  Preferences remembered_;
  std::string broken_;  ///< what is wrong with the file of the preferences
  std::unique_ptr<Shell> shell_;
  std::unique_ptr<ImFontAtlas> atlas_;  ///< outlives ImGui's context; null: that has one of its own
  std::future<Fonts> letters_;
  bool has_context_ = false;
  Fonts fonts_;
  float fonts_scale_ = 0;
  std::optional<base::Language> fonts_language_;
  MissingLetters missing_letters_;
  std::size_t fonts_letters_ = 0;  // bytes of missing_letters_.text() that the fonts cover
  std::uint64_t fonts_own_ = 0;    // OwnFilesState::version, whose texts the fonts cover
  std::optional<ThemeName> theme_shown_;
  int frames_owed_ = 3;
  KeyPresses keys_;
  std::vector<int> pressed_;  ///< keys pressed since the last frame
  /// Typed for a text field, in order: a letter, or a key that may mean something to an overlay.
  struct Typed {
    unsigned int letter = 0;
    KeyChord chord;
  };
  std::vector<Typed> typed_;
  int command_key_ = 0;  ///< is down and was a command: its letter is not text
  std::uint64_t frames_ = 0;
};

}  // namespace lanescope::ui
