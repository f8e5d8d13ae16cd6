// A and B: the two runs, the comparison view, and the ghost that was pinned together with A.
#pragma once

#include <cstdint>
#include <optional>

#include "inspect/event_ref.h"
#include "model/advice/advice.h"
#include "model/compare/compare_state.h"
#include "model/compare/compare_view.h"
#include "model/compare/other_side.h"
#include "model/timeline/view_control.h"
#include "timeline/ghost_lanes.h"

namespace lanescope::ui {

struct ShellState;

/// A wait that was dragged off its lane: a usual iteration without it is drawn below, until the settings change.
struct DraggedOff {
  analysis::Edit edit;
  std::uint64_t generation = 0;      ///< of the source
  std::uint32_t settings = 0;        ///< their version
  std::optional<CardKey> card;       ///< the one that is unfolded: another one takes its place
  std::optional<ViewMode> followed;  ///< how the view followed the run; empty: it stood still
};

/// What a trial in a watched program has measured is told below the lanes, until something else is to be shown there.
struct TrialBelow {
  std::optional<CardKey> card;  ///< as in DraggedOff
  std::optional<ViewMode> followed;
};

struct Comparison {
  CompareState state;
  CompareView view;
  std::uint64_t ghost = 0;  ///< the ghost's number
  OtherSide other;          ///< what the lanes compare with, drawn below them
  GhostLanes lanes;
  std::optional<DraggedOff> dragged_off;
  TrialBelow trial;
};

/// What is drawn below the lanes; null: nothing, or it is not measured yet.
inline SharedSnapshot run_below(const Comparison& comparison) { return comparison.other.run(); }
/// Draws below the lanes a usual iteration without this call's wait; if that is drawn already, what was there before.
void drag_off(ShellState& state, const EventRef& call);
/// Draws what was there before a wait was dragged off; false if none was.
bool put_back(ShellState& state);
/// Puts away what a trial in a watched program has measured; false if there is nothing of it.
bool put_trial_away(ShellState& state);
/// Starts a trial in a watched program, or says why that is not possible.
void try_knob(ShellState& state, const attach::Knob& knob);
/// Ends the trial that is running in a watched program; false if none is.
bool stop_trial(ShellState& state);
/// Once per frame: takes measurements that were requested and reports the result.
void update_comparison(ShellState& state);

}  // namespace lanescope::ui
