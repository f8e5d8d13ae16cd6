// The pinned curves of an earlier run, or of earlier settings: drawn pale and dashed behind the current plots, with
// their starts aligned.
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
  std::string title;  ///< the run's title, used if no setting differs; to be translated
  std::string device, workload;
  std::optional<workload::Settings> settings;      ///< a live run's
  base::Nanoseconds begin_ns = 0;                  ///< start of the stretch: the run's start, or the last knob's marker
  base::Nanoseconds pinned_ns = 0;                 ///< the newest instant known when the ghost was pinned
  std::uint64_t generation = 0;                    ///< of the model
  std::uint64_t number = 0;                        ///< of the ghost: each pin gets a new one
  std::vector<analysis::IterationRecord> records;  ///< the first is only the base that the others count from
  std::int64_t run_ahead_max = 0;                  ///< of all records
  analysis::Pace pace;                             ///< of the newest stretch when it was pinned
  PlotSet plots;

  bool empty() const { return records.empty(); }
  double mean(PlotKind kind) const;  ///< over the whole stretch; NaN without iterations
};

/// The start of the present stretch of a run: the last knob's marker, else the first iteration, even if its record has
/// been dropped since.
base::Nanoseconds stretch_begin(const analysis::LiveAnalysis& analysis, std::optional<base::Nanoseconds> last_knob);
/// When a knob was last turned (other markers, such as "paused", do not count).
std::optional<base::Nanoseconds> last_knob(const Model& model);

/// Pins the present stretch; returns an empty ghost if the stretch has no iterations yet.
GhostRun pin_ghost(const Model& model);

/// The axis that puts the start of the ghost where `axis` puts the start of the present stretch.
TimeAxis ghost_axis(const TimeAxis& axis, base::Nanoseconds ghost_begin, base::Nanoseconds present_begin);

/// Prepares the ghost's curves. Beyond its end a curve continues at its mean, where a mean makes sense.
void prepare_ghost(GhostRun& ghost, const TimeAxis& axis, base::Nanoseconds present_begin, PlotKinds kinds);
/// The columns of one of the ghost's plots, and the first column that is only the mean.
struct GhostColumns {
  std::vector<PlotColumn> columns;
  std::size_t mean_from = 0;  ///< == columns.size(): no such column
};
GhostColumns ghost_columns(const GhostRun& ghost, PlotKind kind, const TimeAxis& axis, base::Nanoseconds present_begin);

/// How the ghost differs from the current run: "pinned false, batch size 64"; includes a different device or workload;
/// the title if nothing differs.
std::string ghost_difference(const GhostRun& ghost, const std::string& device, const std::string& workload,
                             const workload::Settings* settings);
/// "ghost: pinned false · 2,512 → now 5,080 iterations/s (2.0x)"; without the comparison while there is no current
/// rate.
/// `work`: how many times as many samples an iteration has now; the factor is then per sample. 0: there is none.
std::string ghost_legend(const std::string& difference, double rate_then, double rate_now, double work = 1);

}  // namespace lanescope::ui
