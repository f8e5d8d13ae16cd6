// What a person's hands do with the lanes: what they point at, what they hold, and what can be done to one lane.
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

  std::optional<std::string> pointed;  ///< the row under the mouse, or whose name is: a key in a LaneLayout
  Grip under = Grip::None;             ///< what a press would take hold of now
  std::string under_group;             ///< of the heading under the mouse
  Grip grip = Grip::None;              ///< what the pressed button holds
  std::string held;                    ///< the row, or with a heading its group
  bool moved = false;                  ///< it is a drag
  float press_y = 0;
  float natural_height = 1;            ///< Edge: of the row, for a height of 1
  std::vector<LanePlace> places;       ///< Name: of the rows when the drag began, in the order of the screen
  float scroll = 0;                    ///< Name: then
  std::vector<std::string> order;      ///< Name: then
  bool was_pinned = false;             ///< Name: then
  bool folds = false;                  ///< Name: it was a double click
  std::optional<std::string> carried;  ///< by the keys: it goes on being meant until the mouse moves
  LaneChoice before;                   ///< Edge: of the row, then
  bool cancelled = false;              ///< by Escape: all is to be as it was
  std::string menu_for;                ///< the row whose menu is open

  /// Escape: true when there was a drag to cancel.
  bool cancel() {
    const bool active = (grip == Grip::Name || grip == Grip::Edge) && moved && !cancelled;
    cancelled = cancelled || active;
    return active;
  }
};

/// CollapseLane to ShorterLane for this row; false for other actions.
bool perform_on_lane(ShellState& state, const std::string& key, Action action);
/// Hides all rows that are not of this group.
void show_only_group(ShellState& state, const std::string& group);
void group_lanes(ShellState& state, LaneGrouping grouping);
/// "by thread and stream", "by process", "by device", "not grouped".
const char* grouping_text(LaneGrouping grouping);

/// `order` with `key` right before or right behind `other`.
std::vector<std::string> moved_key(std::vector<std::string> order, const std::string& key, const std::string& other,
                                   bool behind);
/// Where a row that is dragged by its name goes: before all of `others` whose middle is below `y`. `scrolled`: how far
/// those that do not stand still have moved up since.
std::size_t slot_at(const std::vector<LanePlace>& others, float y, float scrolled);

}  // namespace lanescope::ui
