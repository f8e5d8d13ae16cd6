// The curves of an earlier run, or of earlier settings, pinned: drawn pale and dashed behind the plots of what follows,
// both aligned at their starts.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/live_analysis.h"
#include "timeline/plot_set.h"
#include "workload/settings.h"

namespace lanescope::ui {

class Model;

struct GhostRun {
  std::string title;  ///< the run's, for where no setting differs; to be translated
  std::string device, workload;
  std::optional<workload::Settings> settings;  ///< a live run's
  base::Nanoseconds begin_ns = 0;              ///< where the stretch begins: the run's start, or the last knob's marker
  base::Nanoseconds pinned_ns = 0;             ///< the newest instant that was known then
  std::uint64_t generation = 0;                ///< of the model
  std::uint64_t number = 0;                    ///< of the ghost: each pin makes another one
  std::vector<analysis::IterationRecord> records;  ///< the first one is only what the others are counted from
  std::int64_t run_ahead_max = 0;                  ///< of all records
  analysis::Pace pace;                             ///< of the newest stretch when it was pinned
  PlotSet plots;

  bool empty() const { return records.empty(); }
  double mean(PlotKind kind) const;  ///< over the whole stretch; NaN without iterations
};

/// The present stretch of a run: from the last knob's marker, else from its first iteration on, whose record may have
/// been dropped since.
base::Nanoseconds stretch_begin(const analysis::LiveAnalysis& analysis, std::optional<base::Nanoseconds> last_knob);
/// When a knob was turned last (a marker may say something else: "paused").
std::optional<base::Nanoseconds> last_knob(const Model& model);

/// Pins the present stretch; an empty ghost when it has no iterations yet.
GhostRun pin_ghost(const Model& model);

/// The axis on which the ghost stands as the present stretch does on `axis`.
TimeAxis ghost_axis(const TimeAxis& axis, base::Nanoseconds ghost_begin, base::Nanoseconds present_begin);

/// Prepares the ghost's curves. Beyond its end a curve goes on at its mean, where one holds.
void prepare_ghost(GhostRun& ghost, const TimeAxis& axis, base::Nanoseconds present_begin, PlotKinds kinds);
/// The columns of one plot of it, and from which column on they are only the mean.
struct GhostColumns {
  std::vector<PlotColumn> columns;
  std::size_t mean_from = 0;  ///< == columns.size(): nowhere
};
GhostColumns ghost_columns(const GhostRun& ghost, PlotKind kind, const TimeAxis& axis, base::Nanoseconds present_begin);

/// How the ghost differs from what runs now: "pinned false, batch size 64"; other devices and workloads too; the title
/// when nothing does.
std::string ghost_difference(const GhostRun& ghost, const std::string& device, const std::string& workload,
                             const workload::Settings* settings);
/// "ghost: pinned false · 2,512 → now 5,080 iterations/s (2.0x)"; without the latter while there is nothing to compare.
std::string ghost_legend(const std::string& difference, double rate_then, double rate_now);

}  // namespace lanescope::ui
