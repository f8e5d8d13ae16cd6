// Search, event list and range figures, updated every frame and connected to the view.
#pragma once

#include "shell/shell_state.h"

namespace lanescope::ui {

/// Once per frame: continues the search and the figures of the selected stretch.
void update_finding(ShellState& state);
/// Forgets what was found; the choices stay.
void end_finding(ShellState& state);
/// Something in it will change without user input.
bool finding_moves(const ShellState& state);

/// Ends the presentation and the comparison view, which both hide the lower part of the middle area.
void make_room_for_drawer(ShellState& state);
void show_drawer(ShellState& state, DrawerTab tab);
/// Shows this tab, or the plots if it is already shown.
void toggle_drawer(ShellState& state, DrawerTab tab);

/// Opens the search with the keyboard in its field.
void open_search(ShellState& state);
/// Opens the search with this text; typing continues from it.
void search_for(ShellState& state, const std::string& text);
/// Closes the search and its highlight; false if no search is open.
bool close_search(ShellState& state);
/// Selects the next found event and brings it into view.
void walk_found(ShellState& state, bool forward);
/// Selects one of the found events and brings it into view.
void show_found(ShellState& state, std::size_t at);
/// Selects an event from a list; the view follows if the event is out of view.
void select_listed(ShellState& state, const EventRef& event);
/// The same, and zooms in until the event is wide enough to see.
void show_example(ShellState& state, const EventRef& event);
/// Moves the view to an event, keeping the zoom if the event fits.
void reveal(ShellState& state, const EventRef& event);
/// The least height of the lower part of the middle area.
float drawer_height(const ShellState& state, float room);

}  // namespace lanescope::ui
