// A small copy of a stretch of a run, so that it can be looked at when the run has long gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/live_analysis.h"
#include "io/chrome_trace.h"
#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

class Model;

struct IterationSpan {
  Nanoseconds start_ns = 0, end_ns = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }
  bool operator==(const IterationSpan&) const = default;
};

/// What a copy holds: nothing points into the trace that it was taken of.
struct RunSnapshot {
  std::shared_ptr<const trace::Trace> trace;
  std::shared_ptr<const analysis::LiveAnalysis> analysis;
  std::vector<IterationSpan> iterations;  ///< oldest first, one at least
  bool whole = false;                     ///< the trace has no iterations: the only one is all of it
  std::size_t typical = 0;                ///< of `iterations`: the one of median length
  /// Of a longer stretch than is copied, where there is one: the figures.
  analysis::Summary summary;
  std::string title;  ///< the workload's, to be translated, or the file's name
  std::string label;  ///< which side it is of what is called so: "before: a read every iteration"; may be empty
  io::RunFacts facts;
  std::uint64_t number = 0;  ///< each copy has another one

  const IterationSpan& typical_iteration() const { return iterations[typical]; }
  /// What an iteration takes, 0 where the figures do not say it; of a trace without iterations, how long that is.
  double mean_ns() const { return whole ? static_cast<double>(summary.window_ns()) : summary.pace.ns; }
};
using SharedSnapshot = std::shared_ptr<const RunSnapshot>;

/// A copy holds at most so many events (7 MB), or one iteration.
inline constexpr std::int64_t kMostSnapshotEvents = 200'000;

/// What is to be copied, said while the run is looked at; the copying itself may be done beside the drawing.
struct SnapshotPlan {
  const trace::Trace* source = nullptr;
  Nanoseconds from_ns = 0, to_ns = 0;
  bool whole = false;
  analysis::Summary summary;
  std::string title, label;
  io::RunFacts facts;
};

/// The newest iterations with the settings of now; of an opened trace, all without the warm-up. Empty: no iteration has
/// ended since the last turn of a knob, or there is nothing at all.
std::optional<SnapshotPlan> plan_snapshot(const Model& model, std::int64_t most_events = kMostSnapshotEvents);
/// Of a trace to which nothing comes any more: its source, stretch and figures; empty when there is nothing in it.
std::optional<SnapshotPlan> plan_ended(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                                       std::int64_t most_events = kMostSnapshotEvents);
/// The same picture of a run with the figures of now.
SharedSnapshot with_figures(const RunSnapshot& run, const analysis::Summary& summary);
/// What figures are of, of a live run.
analysis::Summary figures_of_now(const Model& model);
/// The source must live until it returns. Costs about 0.2 µs for each event. Never empty: where everything has been
/// evicted meanwhile, there is one iteration without events.
SharedSnapshot take_snapshot(SnapshotPlan plan);

/// The events that touch [from, to), without markers and counters, in a trace of their own with the same lanes.
std::unique_ptr<trace::Trace> copy_stretch(const trace::Trace& source, Nanoseconds from, Nanoseconds to);
/// The iteration of median length (the lower one of two), the nearest to the middle where several are as long; the
/// first and the last one count only where there are no others.
std::size_t typical_iteration(const std::vector<IterationSpan>& iterations);

}  // namespace lanescope::ui
