// The bands of several GPUs and the table of ranks, by hand.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "inspect/event_ref.h"
#include "inspect/rank_table.h"
#include "model/source/job_folder.h"
#include "trace/owners.h"

namespace lanescope::ui {

struct ShellState;

/// A press on the bands that is not released yet.
struct JobPress {
  float x0 = 0, y0 = 0;
  bool on = false, moved = false;
};

/// The table of ranks.
struct RankView {
  RankOrder order;
  std::size_t top = 0;  ///< the first line that is visible
};

/// What the mouse points at.
struct JobHover {
  std::optional<std::size_t> collective;
  std::uint64_t found = 0;  ///< JobState::found()
  std::string why;
};

/// The map of a job's ranks (model/source/job_folder.h): what is looked at, and what was drawn of it.
struct JobMapView {
  MapMeasure measure = MapMeasure::Lateness;
  std::size_t row = 0;                 ///< that the keyboard is at
  std::optional<std::size_t> finding;  ///< whose ranks are marked
  std::optional<std::size_t> pointed;  ///< the finding under the mouse, in the last frame
  double first = 0, rows = 0;          ///< of the rows, those in sight; 0: all of them
  bool moved = false;                  ///< since the mouse was pressed
  std::uint64_t iteration = 0;         ///< of the rank that is being opened: to be shown; 0: all of it
  // As drawn.
  MapGrid grid;
  std::array<MapScale, 2> scales{};  ///< by measure; they only grow while files are read
  std::array<std::size_t, 6> drawn{};
};

/// The map is what the window shows.
bool shows_job_map(const ShellState& state);
/// Opens the recording of a row's rank, or says that it is not at hand. `iteration`: as in JobMapView.
void open_rank(ShellState& state, std::size_t row, std::uint64_t iteration = 0);
/// Once that is open.
void show_asked_iteration(ShellState& state);

/// analysis::lateness_text() of a collective; looked up once while the mouse stays there.
const std::string& why_late(ShellState& state, std::size_t collective);
/// Selects the collective, and what made its last GPU late: the longest kernel or copy of those that differ, or the
/// GPU's idle time.
void go_to_late(ShellState& state, std::size_t collective);
/// Scrolls to its lanes.
void reveal_gpu(ShellState& state, trace::GpuNumber gpu);

}  // namespace lanescope::ui
