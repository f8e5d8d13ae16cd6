#include "model/details/recent_figures.h"

#include <utility>

namespace lanescope::ui {

bool RecentFigures::look(const Sight& sight, Clock::time_point now) {
  const auto& markers = sight.analysis.markers();
  if (markers.size() != markers_seen_) {
    const std::size_t newest = std::exchange(markers_seen_, markers.size());
    if (now - turned_ > kOneTurn) {  // "before" means before all of those turns
      before_turn_ = recent_.summary;
      batch_before_ = batch_now_;
      turn_begins_ = newest;
    }
    turned_ = now;
  }
  analysis::Recent recent = recent_account(sight.analysis, sight.edge_ns, sight.span_ns, sight.period);
  if (recent.summary.iteration.count == 0) {
    recent_.settled_ns = recent.settled_ns;
    return false;
  }
  recent_ = std::move(recent);
  batch_now_ = sight.batch;
  ++number_;
  return true;
}

void RecentFigures::show(analysis::Summary whole) {
  recent_.summary = std::move(whole);
  judge(recent_.summary);  // in the current language
}

void RecentFigures::say_again() {
  judge(recent_.summary);
  judge(before_turn_);
}

bool RecentFigures::current(const analysis::LiveAnalysis& analysis) const {
  const auto& markers = analysis.markers();
  return recent_.summary.iteration.count > 0 && recent_.current &&
         (markers.empty() || recent_.summary.from_ns >= markers.back().start_ns);
}

std::span<const trace::Event> RecentFigures::turn(const analysis::LiveAnalysis& analysis) const {
  const auto& markers = analysis.markers();
  if (markers_seen_ == 0 || turn_begins_ >= markers.size()) return {};
  return std::span(markers).subspan(turn_begins_, markers_seen_ - turn_begins_);
}

}  // namespace lanescope::ui
