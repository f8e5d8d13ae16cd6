// The keyboard's walk through everything that can be pressed. The panels report their controls while they draw them;
// F6 goes on from one to the next in reading order, and what is pressed is clicked, as with the mouse.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/actions.h"
#include "timeline/span_batch.h"

namespace lanescope::ui {

/// Something that can be pressed or turned.
struct Control {
  std::string name;          ///< as in ShellState::places; one of a kind
  Rect box;                  ///< what a click hits
  std::uint32_t window = 0;  ///< the ImGui window that draws it
  std::uint32_t panel = 0;   ///< the window around that one, with no other around it
  Rect room;                 ///< where the window shows its contents: what lies beyond must be scrolled to
  bool turns = false;        ///< Left and Right change its value
};

class FocusWalk {
 public:
  /// While a frame is drawn: one more control, in the order of drawing.
  void note(Control control) { drawn_.push_back(std::move(control)); }
  std::vector<Control>& drawn() { return drawn_; }
  /// The frame is complete: these controls can be reached, the others are covered.
  void begin(std::vector<Control> reachable);
  /// In reading order.
  const std::vector<Control>& controls() const { return controls_; }

  /// The control that has the focus; null: none, or it is covered.
  const Control* focused() const;
  bool on() const { return !at_.empty(); }
  bool is_at(std::string_view name) const { return at_ == name; }
  /// To the next control (1) or the one before (-1), around the end.
  void step(int by);
  /// To the nearest control of the same panel in this direction.
  void move(int dx, int dy);
  void leave();

  /// A click on the focused control, to be made by the window.
  void press();
  struct Press {
    float x = 0, y = 0;
    int frame = 0;  ///< of the click: the pointer arrives, goes down, goes up
  };
  std::optional<Press> pressing;
  /// One step of the control's value: -1 or 1; taken by the control when it is drawn next.
  void turn(int direction) { turn_ = direction; }
  int take_turn(std::string_view name);

  bool moved = false;  ///< since the last frame: what has the focus must be brought into view

 private:
  void go_to(std::size_t place);

  std::vector<Control> drawn_, controls_;
  std::string at_;
  std::size_t place_ = 0;  // of at_, when it was last there
  std::uint32_t panel_ = 0;
  std::vector<std::string> left_;  // covered when the walk went on in what covers them
  int turn_ = 0;
};

/// Panels in the order in which they are drawn; in each from top to bottom, and in a row from left to right.
std::vector<Control> in_reading_order(std::vector<Control> controls);

/// The keys of the walk: Enter, Space, arrows, Esc. False: the key is not for it.
bool focus_key(FocusWalk& walk, KeyChord chord, bool repeated);

}  // namespace lanescope::ui
