// What the program does with a trace that it has opened, whatever file it came from.
#pragma once

#include <limits>

#include "analysis/live_analysis.h"
#include "foreign.h"
#include "io/run_figures.h"
#include "io/trace_file.h"

namespace lanescope::fuzz {

/// For small inputs: more would only be slow.
inline io::ReadLimits limits_for(std::string_view bytes) {
  // Both ways of reading; which one depends on the bytes alone, so that a crash comes again.
  const bool two = bytes.size() % 16 == 7;
  return {.memory_bytes = std::uint64_t{256} << 20, .threads = two ? io::Threads::Two : io::Threads::One};
}

inline void examine(const trace::Trace& trace, const io::RunFacts& facts) {
  const auto [from, to] = trace.extent();
  expect(from <= to, "a trace that ends before it starts");
  analysis::LiveAnalysis analysis(trace);
  analysis.update(std::numeric_limits<base::Nanoseconds>::max());
  analysis.finish();
  const io::RunFigures figures = io::figures_of(trace, analysis, facts);
  static_cast<void>(io::advice_of(trace, analysis, figures));
  static_cast<void>(io::breakdown_of(trace, analysis, figures));
}

inline void examine(const io::OpenedTrace& opened) {
  expect(opened.trace != nullptr, "an opened file without a trace");
  if (!opened.incomplete.empty()) check_line(opened.incomplete);
  examine(*opened.trace, opened.facts);
}

}  // namespace lanescope::fuzz
