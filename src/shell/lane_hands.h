// Mouse and key input on the lanes: what is pointed at, what is being dragged, and what can be done to a lane.
#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "shell/actions.h"
#include "timeline/timeline.h"

namespace lanescope::ui {

struct ShellState;

struct LaneHands {
  enum class Grip : std::uint8_t { None, Name, Edge, Fold, Pin, Hide, Heading, Note };

  std::optional<std::string> pointed;  ///< the row whose lane or name is under the mouse: a key in a LaneLayout
  Grip under = Grip::None;             ///< what a press would grab now
  std::string under_group;             ///< the group of the heading under the mouse
  bool under_folded = false;           ///< whether it is folded
  Grip grip = Grip::None;              ///< what the pressed button has grabbed
  std::string held;                    ///< the grabbed row, or a heading's group
  bool held_folded = false;            ///< Heading: whether the group was folded
  bool moved = false;                  ///< the press has become a drag
  float press_y = 0;
  float natural_height = 1;            ///< Edge: the row's height in pixels at a height of 1
  std::vector<LanePlace> places;       ///< Name: the rows when the drag began, in screen order
  Pane pane = Pane::Cpu;               ///< Name: of the row
  bool of_gpu = false;                 ///< Name: it is one of the GPU's lanes
  float scroll = 0;                    ///< Name: then
  std::vector<std::string> order;      ///< Name: then
  bool was_pinned = false;             ///< Name: then
  bool folds = false;                  ///< Name: it was a double click
  std::optional<std::string> carried;  ///< row moved by keys: it stays the target until the mouse moves
  LaneChoice before;                   ///< Edge: the row's choice when the drag began
  bool cancelled = false;              ///< by Escape: everything is restored
  std::string menu_for;                ///< the row whose menu is open
  bool menu_open = false;              ///< in the last frame
  bool menu_of_selection = false;      ///< that menu is about the selection, which is on that row
  bool menu_opens = false;             ///< it closed, and opens anew in the next frame as the row's own

  /// Handles Escape: true if there was a drag to cancel.
  bool cancel() {
    const bool active = (grip == Grip::Name || grip == Grip::Edge) && moved && !cancelled;
    cancelled = cancelled || active;
    return active;
  }
};

/// Performs CollapseLane to ShorterLane on this row; false for other actions.
bool perform_on_lane(ShellState& state, const std::string& key, Action action);
/// Hides all rows outside this group.
void show_only_group(ShellState& state, const std::string& group);
void group_lanes(ShellState& state, LaneGrouping grouping);
/// "by thread and stream", "by process", "by device", "not grouped".
const char* grouping_text(LaneGrouping grouping);

/// `order` with `key` moved directly before or after `other`.
std::vector<std::string> moved_key(std::vector<std::string> order, const std::string& key, const std::string& other,
                                   bool behind);
/// Where a row dragged by its name goes: before all of `others` whose middle is below `y`. `scrolled`: how far the rows
/// that are not fixed have scrolled up since.
std::size_t slot_at(const std::vector<LanePlace>& others, float y, float scrolled);

}  // namespace lanescope::ui
