// The charts of a page: where the time went, over the run, and how long iterations took.
#pragma once

#include <string>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/live_analysis.h"
#include "analysis/summary.h"

namespace lanescope::app::html {

/// A share of the time of an iteration, with the look that it has everywhere on the page.
struct TimePart {
  std::string key;   ///< of its look: class f-KEY, pattern p-KEY
  std::string name;  ///< plain text
  base::Nanoseconds ns = 0;
  bool idle = false;  ///< the GPU's
};
/// Kernels, copies alone, idle by cause, and the rest that has no cause; they add up to the stretch. All are listed,
/// also those that are 0.
std::vector<TimePart> time_parts(const analysis::Summary& summary, base::Nanoseconds span, base::Nanoseconds busy,
                                 base::Nanoseconds kernel,
                                 const std::array<base::Nanoseconds, analysis::kBubbleCauses>& by_cause);
/// Of the stretch that the verdict is about.
std::vector<TimePart> time_parts(const analysis::Summary& summary);

/// Hatchings that charts refer to; once in a page.
std::string chart_patterns();

/// One bar, divided. Empty when there is no time at all.
std::string time_bar(const std::vector<TimePart>& parts);
/// What the looks mean, for the parts that are there.
std::string time_legend(const std::vector<TimePart>& parts);

/// Time per iteration over the run, in columns of equally many iterations, each divided as the bar. Empty for less than
/// kLeastForStrip iterations.
inline constexpr std::size_t kLeastForStrip = 12;
struct Strip {
  std::string svg;
  std::size_t iterations_each = 0;
  std::size_t cut = 0;  ///< columns that are higher than the chart
  double highest_ns = 0;
};
Strip run_strip(const analysis::LiveAnalysis& analysis, base::Nanoseconds from, base::Nanoseconds to);

/// Empty without iterations.
std::string duration_chart(const analysis::Histogram& histogram, const analysis::DurationStats& stats);

}  // namespace lanescope::app::html
