// Presenting to a class: what is hidden, what the keys mean, and what is pointed at or drawn over the picture.
#pragma once

#include <chrono>
#include <deque>
#include <string>
#include <vector>

#include "shell/actions.h"

namespace lanescope::ui {

struct ShellState;

/// Presentation mode: large text, only the lanes, the verdict, and what is told about them.
struct Presentation {
  bool on = false;
  float scale = 1.5f;    ///< scale factor in this mode, from the window's height
  bool story = true;     ///< the column with the text, the published numbers and the correction
  std::string told;      ///< what the column tells, in which size of the window: its letters stay as they are
  bool smaller = false;  ///< letters, because it would not fit otherwise
  float scroll = 0;      ///< by how many lines the column is to be scrolled in the next frame
};

/// The mouse as a pointer that a back row can see, and a pen that draws over everything. Both work in any mode.
struct PointerState {
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kTrail{350};
  static constexpr std::chrono::seconds kKept{12};           ///< a stroke, after it has been drawn
  static constexpr std::chrono::milliseconds kFading{1500};  ///< the last part of that

  struct Point {
    float x = 0, y = 0;  ///< in logical pixels of the window
  };
  struct Stroke {
    std::vector<Point> points;
    Clock::time_point ended{};  ///< still being drawn: not set
  };
  struct Seen {
    Point at;
    Clock::time_point when;
  };
  static constexpr float kMagnified = 2;
  static constexpr std::chrono::milliseconds kMagnifying{250};  ///< from none to all of it

  bool laser = false, pen = false;
  bool magnifier = false;  ///< what the window shows is larger around the mouse
  Clock::time_point magnifier_turned{};
  std::deque<Seen> trail;
  std::vector<Stroke> strokes;
  bool drawing = false;

  /// The mouse is here now.
  void move(Point at, Clock::time_point now);
  /// The pen: the button is down or up.
  void draw(Point at, bool down, Clock::time_point now);
  /// How many times as large the window's content is; 1: as it is.
  float magnification(Clock::time_point now) const;
  /// How visible a stroke is, 0 to 1.
  static float strength(const Stroke& stroke, Clock::time_point now);
  /// Drops what has faded. True: something is still moving or fading.
  bool settle(Clock::time_point now);
};

/// Nothing may be shown that gives an answer away: hidden by hand, or by a question of the lesson.
bool answers_hidden(const ShellState& state);
/// The experiment's other side would give an answer away, or solve a task.
bool other_side_tells(const ShellState& state);
/// The lesson's step is what runs, and not something that was started beside it.
bool on_stage(const ShellState& state);

/// Keys that mean something else while presenting: arrows and the keys of a presenter's remote control go through the
/// lesson, digits count raised hands. True: the key was for it.
bool presenting_key(ShellState& state, KeyChord chord, bool repeated);

}  // namespace lanescope::ui
