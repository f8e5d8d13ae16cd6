// The figures of a run, for the command line, the JSON and the page; of a trace that no longer grows, computed here.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "analysis/account.h"
#include "analysis/advisor.h"
#include "analysis/breakdown.h"
#include "analysis/idle_ledger.h"
#include "analysis/stragglers.h"
#include "analysis/summary.h"
#include "trace/capture_health.h"
#include "trace/run_facts.h"

namespace lanescope::analysis {

/// A figure of the workload itself: "read_us", "the program's read", "µs".
struct OwnFigure {
  std::string key, label, unit;
  double mean = 0, total = 0, last = 0;
  std::uint64_t count = 0;  ///< number of samples; 0: there is no mean
};

struct RunFigures {
  struct Loss {
    double first = 0, last = 0;
  };
  trace::RunFacts facts;
  Summary summary;
  trace::TraceCounts events;
  std::uint64_t iterations = 0;
  base::Nanoseconds elapsed_ns = 0;
  /// The duration of the first iteration, if all figures exclude it: on a GPU it loads code and takes far longer than
  /// the others.
  std::optional<base::Nanoseconds> warm_up_ns;
  std::optional<Once> once;                     ///< as in Account
  std::optional<trace::CaptureHealth> capture;  ///< for a GPU's work; empty on a simulated device
  std::optional<Loss> loss;                     ///< empty: timing only, or nothing was read
  std::vector<OwnFigure> own;                   ///< figures that only the workload can know
  /// From the setting batch_size and the pace; empty if either is unknown, the batch does not tell an iteration's work,
  /// or nothing is computed.
  std::optional<double> samples_per_s() const;
  /// Computed by the caller, because it needs a pass over the trace.
  std::optional<Advice> advice;
  std::optional<IdleLedger> idle;          ///< the same
  std::optional<Breakdown> breakdown;      ///< the same
  std::optional<Collectives> collectives;  ///< the same; empty, too, if there are none
  std::optional<Lateness> lateness;        ///< of the GPU that arrives last most often, if that is known
  std::optional<AskedWhatIf> what_if;      ///< if it was asked for
};

/// Samples per iteration: the setting batch_size; 0: not known; negative: as in pace.h.
double batch_size_of(const trace::RunFacts& facts);
/// How much faster the second run is, for the same work.
Gain gain_between(const RunFigures& first, const RunFigures& second);

/// What an analysis must know about a run beyond its trace.
RunConditions conditions_of(const trace::RunFacts& facts);

/// `analysis` must be of `trace`, and finished. Leaves out what is unknown here (the workload's own figures, the loss,
/// the capture's health), and advice and breakdown, which need another pass over the trace each.
RunFigures figures_of(const trace::Trace& trace, const LiveAnalysis& analysis, const trace::RunFacts& facts);
/// Cards and tables of the trace whose figures these are; of several GPUs, of the one that the verdict is about.
Advice advice_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures);
/// The answer to a question of the command line; none if it has no edits.
std::optional<AskedWhatIf> what_if_of(const trace::Trace& trace, const LiveAnalysis& analysis,
                                      const RunFigures& figures, std::vector<Edit> edits);
Breakdown breakdown_of(const trace::Trace& trace, const LiveAnalysis& analysis, const RunFigures& figures);

}  // namespace lanescope::analysis
