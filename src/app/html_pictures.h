// The timelines of a page: which stretch of a run is worth showing, and its colours in both themes.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "app/screen.h"

namespace lanescope::app::html {

/// A stretch of a run, and the bubble in it that is worth a path.
struct Stretch {
  base::Nanoseconds from_ns = 0, to_ns = 0;
  std::int64_t iterations = 0;  ///< that lie in it; 0: the trace has none, and this is its middle or all of it
  std::optional<analysis::Bubble> bubble;
};
/// The iteration whose length is nearest to the median, of those the one nearest to the middle of the run, with the one
/// before and the one after it. Without warm-up, and only what the trace still has.
Stretch typical_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis);
/// All iterations, or the whole trace.
Stretch whole_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis);

/// Draws timelines, each with a prefix of its own, and collects their colours. A picture of more than kMostPictureBytes
/// is drawn narrower, or not at all: then it is empty.
class Pictures {
 public:
  std::string timeline(const trace::Trace& trace, const analysis::LiveAnalysis& analysis, const io::RunFacts& facts,
                       const Stretch& stretch, const std::string& alt);
  /// Declarations of all colours used, for one theme.
  std::string colours(bool dark) const;

  static constexpr std::size_t kMostPictureBytes = 600'000;

 private:
  std::vector<std::pair<std::string, TimelineSvg::Paint>> paints_;  // by variable
  int drawn_ = 0;
};

}  // namespace lanescope::app::html
