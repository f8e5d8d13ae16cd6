// The figures of a trace that no longer grows, for the command line, the JSON and the page.
#pragma once

#include "analysis/account.h"
#include "io/chrome_trace.h"
#include "io/summary_json.h"

namespace lanescope::io {

/// What an analysis must know about a run beyond its trace.
analysis::RunConditions conditions_of(const RunFacts& facts);

/// `analysis` must be of `trace`, and finished. Leaves out what is unknown here (the workload's own figures, the loss,
/// the capture's health), and advice and breakdown, which need another pass over the trace each.
RunFigures figures_of(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const RunFacts& facts);
/// Cards and tables of the trace whose figures these are; of several GPUs, of the one that the verdict is about.
analysis::Advice advice_of(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                           const RunFigures& figures);
analysis::Breakdown breakdown_of(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                                 const RunFigures& figures);

}  // namespace lanescope::io
