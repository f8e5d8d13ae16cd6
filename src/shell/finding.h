// What finding does in the window, frame by frame: it puts search, list and figures together with the view.
#pragma once

#include "shell/shell_state.h"

namespace lanescope::ui {

/// Once per frame: the search and the figures of the selected stretch go on.
void update_finding(ShellState& state);
/// Before the trace goes.
void end_finding(ShellState& state);
/// Something of it will change without anybody touching it.
bool finding_moves(const ShellState& state);

/// A presentation and the view of A and B leave out the lower part of the middle: they end.
void make_room_for_drawer(ShellState& state);
void show_drawer(ShellState& state, DrawerTab tab);
/// Shows it, or the plots where it is shown.
void toggle_drawer(ShellState& state, DrawerTab tab);

/// Opens the search with the keyboard in its field.
void open_search(ShellState& state);
/// With a text: what is typed there next goes on from it.
void search_for(ShellState& state, const std::string& text);
/// Takes the highlight away; false when no search is open.
bool close_search(ShellState& state);
/// Selects the next found event and brings it into view.
void walk_found(ShellState& state, bool forward);
/// Selects one of the found events and brings it into view.
void show_found(ShellState& state, std::size_t at);
/// Selects an event from a list; the view follows when it is out of view.
void select_listed(ShellState& state, const EventRef& event);
/// Moves the view to an event, at the same zoom where it fits.
void reveal(ShellState& state, const EventRef& event);
/// What the lower part of the middle needs at least.
float drawer_least_height(const ShellState& state, float middle_height);

}  // namespace lanescope::ui
