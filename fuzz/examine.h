// What the program does with a trace that it has opened, whatever file it came from.
#pragma once

#include <functional>
#include <limits>

#include "analysis/live_analysis.h"
#include "analysis/run_figures.h"
#include "foreign.h"
#include "io/trace_file.h"

namespace lanescope::fuzz {

/// For small inputs: more would only be slow.
inline io::ReadLimits limits_for(std::string_view bytes) {
  // Both ways of reading; which one depends on the bytes alone, so that a crash comes again.
  const bool two = bytes.size() % 16 == 7;
  return {.memory_bytes = std::uint64_t{256} << 20, .threads = two ? io::Threads::Two : io::Threads::One};
}

/// `bytes`: what it was read from. They decide how much is done, so that a crash comes again: the analysis takes longer
/// than reading, and advice, the tables and the figures longer than that.
inline void examine(const trace::Trace& trace, const trace::RunFacts& facts, std::string_view bytes) {
  const auto [from, to] = trace.extent();
  expect(from <= to, "a trace that ends before it starts");
  const std::size_t chosen = std::hash<std::string_view>()(bytes);
  if (from == to || chosen % 2 == 0) return;
  analysis::LiveAnalysis analysis(trace);
  analysis.update(std::numeric_limits<base::Nanoseconds>::max());
  analysis.finish();
  if (chosen % 8 != 1) return;
  const analysis::RunFigures figures = analysis::figures_of(trace, analysis, facts);
  static_cast<void>(analysis::advice_of(trace, analysis, figures));
  static_cast<void>(analysis::breakdown_of(trace, analysis, figures));
}

inline void examine(const io::OpenedTrace& opened, std::string_view bytes) {
  expect(opened.trace != nullptr, "an opened file without a trace");
  if (!opened.incomplete.empty()) check_line(opened.incomplete);
  examine(*opened.trace, opened.facts, bytes);
}

}  // namespace lanescope::fuzz
