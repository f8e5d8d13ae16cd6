// The charts of a page: where the time went, time over the run, and the durations of iterations.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/breakdown.h"
#include "analysis/live_analysis.h"
#include "analysis/summary.h"
#include "app/graphics.h"

namespace lanescope::app::html {

/// A share of an iteration's time, with the same appearance everywhere on the page.
struct TimePart {
  std::string key;   ///< of its appearance: class f-KEY, pattern p-KEY
  std::string name;  ///< plain text
  base::Nanoseconds ns = 0;
  bool idle = false;  ///< GPU idle time
};
/// Kernels, copies alone, idle time by cause, and the rest without a cause. They add up to the stretch. Includes parts
/// that are 0.
std::vector<TimePart> time_parts(const analysis::Summary& summary, base::Nanoseconds span, base::Nanoseconds busy,
                                 base::Nanoseconds kernel,
                                 const std::array<base::Nanoseconds, analysis::kBubbleCauses>& by_cause);
/// For the stretch of the verdict.
std::vector<TimePart> time_parts(const analysis::Summary& summary);

/// The hatchings used by the charts; once per page.
std::string chart_patterns();

/// A stacked bar. Empty if there is no time at all.
std::string time_bar(const std::vector<TimePart>& parts);
/// The legend for the existing parts.
std::string time_legend(const std::vector<TimePart>& parts);

/// Time per iteration over the run, in columns with equally many iterations, each divided like the bar. Empty for fewer
/// than kLeastForStrip iterations.
inline constexpr std::size_t kLeastForStrip = 12;
struct Strip {
  std::string svg;
  std::size_t iterations_each = 0;
  std::size_t cut = 0;  ///< columns higher than the chart
  double highest_ns = 0;
};
Strip run_strip(const analysis::LiveAnalysis& analysis, base::Nanoseconds from, base::Nanoseconds to);

/// Empty without iterations.
std::string duration_chart(const analysis::Histogram& histogram, const analysis::DurationStats& stats);

// --- html pictures ---------------------------------------------------------------------------------------------------
// The timelines of a page: the stretches of a run worth showing, with the colours of both themes.

/// A stretch of a run, and the bubble in it whose path is worth showing.
struct Stretch {
  base::Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;  ///< complete iterations; 0: the trace has none, and this is its middle or all of it
  std::optional<analysis::Bubble> bubble;
};
/// The iteration with the duration nearest to the median (of several, the one nearest to the middle of the run), with
/// its two neighbours. Excludes warm-up and what was evicted.
Stretch typical_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis);
/// All iterations, or the whole trace.
Stretch whole_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis);

/// Draws timelines, each with its own prefix, and collects their colours. A picture of more than kMostPictureBytes is
/// drawn narrower; if that does not help, it is empty.
class Pictures {
 public:
  std::string timeline(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const trace::RunFacts& facts,
                       const Stretch& stretch, const std::string& alt, int width = 1080, bool low = false);
  /// CSS declarations of all colours used, for one theme.
  std::string colours(bool dark) const;

  static constexpr std::size_t kMostPictureBytes = 600'000;

 private:
  std::vector<std::pair<std::string, TimelineSvg::Paint>> paints_;  // by variable
  int drawn_ = 0;
};

}  // namespace lanescope::app::html
