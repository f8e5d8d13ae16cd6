// A small copy of a stretch of a run, which remains available after the run is gone.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "analysis/account.h"
#include "analysis/replay.h"
#include "trace/run_facts.h"
#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

struct IterationSpan {
  Nanoseconds start_ns = 0, end_ns = 0;

  Nanoseconds duration() const { return end_ns - start_ns; }
  bool operator==(const IterationSpan&) const = default;
};

/// An independent copy: nothing refers to the original trace.
struct RunSnapshot {
  std::shared_ptr<const trace::Trace> trace;
  std::shared_ptr<const analysis::LiveAnalysis> analysis;
  std::vector<IterationSpan> iterations;  ///< oldest first; at least one
  bool whole = false;                     ///< the trace has no iterations: the only entry covers all of it
  std::size_t typical = 0;                ///< index in `iterations` of the one of median length
  /// The figures, of a longer stretch than the copy if there is one.
  analysis::Summary summary;
  std::string title;  ///< the workload's title, to be translated, or the file's name
  std::string label;  ///< the side of an experiment: "before: a read every iteration"; may be empty
  trace::RunFacts facts;
  std::uint64_t number = 0;  ///< unique per copy

  const IterationSpan& typical_iteration() const { return iterations[typical]; }
  /// The time per iteration, or 0 if unknown; for a trace without iterations, its length.
  double mean_ns() const { return whole ? static_cast<double>(summary.window_ns()) : summary.pace.ns; }
};
using SharedSnapshot = std::shared_ptr<const RunSnapshot>;

/// The maximum number of events in a copy (7 MB), unless one iteration has more.
inline constexpr std::int64_t kMostSnapshotEvents = 200'000;

/// What to copy, decided while looking at the run; the copying may then be done in the background.
struct SnapshotPlan {
  const trace::Trace* source = nullptr;
  Nanoseconds from_ns = 0, to_ns = 0;
  bool whole = false;
  analysis::Summary summary;
  std::string title, label;
  trace::RunFacts facts;
};

/// Cuts the plan to its newest steady iterations with at most this many events. Unchanged if there are none.
void cut_to_newest(SnapshotPlan& plan, const analysis::LiveAnalysis& analysis, std::int64_t most_events);
/// For a trace that no longer grows: the source, the stretch and `figures` are those of its account. Empty if the trace
/// is empty.
std::optional<SnapshotPlan> plan_ended(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                                       analysis::Summary figures, std::int64_t most_events = kMostSnapshotEvents);
/// The same copy of a run with the current figures.
SharedSnapshot with_figures(const RunSnapshot& run, const analysis::Summary& summary);
/// The source must live until this returns. Costs about 0.2 µs per event. Never empty: if everything has been evicted
/// meanwhile, there is one iteration without events.
SharedSnapshot take_snapshot(SnapshotPlan plan);

/// An iteration of `source` as it is replayed (analysis::Replay), as a run of its own.
SharedSnapshot replayed_snapshot(const trace::Trace& source, const analysis::ReplayedIteration& iteration,
                                 std::string label);

/// Copies the events that overlap [from, to), without markers and counters, to a new trace with the same lanes.
std::unique_ptr<trace::Trace> copy_stretch(const trace::Trace& source, Nanoseconds from, Nanoseconds to);
/// The iteration of median length (the lower median); of several, the one nearest to the middle. The first and the last
/// one count only if there are no others.
std::size_t typical_iteration(const std::vector<IterationSpan>& iterations);

}  // namespace lanescope::ui
