// The timelines of a page: the stretches of a run worth showing, with the colours of both themes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/screen.h"

namespace lanescope::app::html {

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
