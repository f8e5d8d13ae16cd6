// Overlays cover the window: at most one of these is open. Anything that may be open beside one of them has its own
// state: the sweep panel, which stays while its sweep runs; the trigger panel and A and B, which are read next to the
// run; the device menu and the plots' menu, which are ImGui popups.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "experiment/published_numbers.h"
#include "model/experiment/gallery_list.h"
#include "shell/actions.h"
#include "shell/attach_dialog.h"
#include "shell/palette_list.h"

namespace lanescope::ui {

struct ShellState;

enum class Overlay : std::uint8_t { Help, Health, Menu, Palette, Picture, GoTo, Gallery, Files, Attach };

/// The menu: groups, and the actions of the chosen one.
struct MenuState {
  std::size_t group = 0;
  std::optional<std::size_t> item;            ///< in the group; empty: the arrow keys move between groups
  std::vector<std::filesystem::path> recent;  ///< files, as of the opening
};

/// The gallery of all experiments.
struct GalleryState {
  bool lessons = false;    ///< the tab of the lessons is shown
  std::size_t lesson = 0;  ///< the selected one
  std::string filter;
  int field = 0;             ///< changes when the filter is cleared, so that ImGui sees a new field
  GalleryList list;          ///< what the filter leaves
  std::size_t selected = 0;  ///< in the list
  bool scroll_to_selected = false;
  std::vector<int> keys;               ///< pressed since the last frame, see gallery_key()
  std::string checked;                 ///< the experiment that `machines` belongs to
  experiment::FittedSides machines{};  ///< the machines that its sides run on
};

struct Overlays {
  std::optional<Overlay> open;
  MenuState menu;
  PaletteState palette;
  GalleryState gallery;
  AttachDialog attach;
};

/// Everything that is typed is for it.
bool has_text_field(const Overlays& overlays);
void close_overlay(ShellState& state);
/// Replaces the overlay that is open.
void open_overlay(ShellState& state, Overlay overlay);
/// Opens the overlay, or closes it if it is the open one.
void toggle_overlay(ShellState& state, Overlay overlay);
/// Puts the first minute's card away for good; Shift+F1 shows it again.
void end_tour(ShellState& state);
/// Escape: closes the topmost thing that is open, else clears the selection.
void close_topmost(ShellState& state);

}  // namespace lanescope::ui
