#include <algorithm>

#include "ui/view_control.h"

namespace lanescope::ui {
namespace {

// A trigger picture stands for this long: "a few times a second", so that it can be read.
constexpr std::chrono::milliseconds kTriggerPeriod{300};
// A picture with the marker of a knob in it stands longer.
constexpr std::chrono::milliseconds kMarkerHold{1500};

}  // namespace

void ViewControl::trigger(const Model& model, Clock::time_point now) {
  const auto records = model.analysis().records();
  const auto& markers = model.analysis().markers();
  // A knob that was turned is seen at once, whatever picture stands.
  const bool turned = !armed_ && markers.size() > markers_shown_;
  const bool stands = !armed_ && (now < hold_until_ || now - triggered_ < kTriggerPeriod);
  if (records.empty() || (stands && !turned)) return;
  const auto wanted = static_cast<Nanoseconds>(axis_.span_ns() * (1 - kEdgeShare));
  const Nanoseconds latest = model.live_edge() - wanted;
  const auto starts_after = [&](Nanoseconds t) {
    return std::upper_bound(records.begin(), records.end(), t,
                            [](Nanoseconds at, const analysis::IterationRecord& r) { return at < r.start_ns; });
  };
  auto found = starts_after(latest);
  // A knob was turned: first show the iterations around the marker, as soon as enough of them are known.
  bool marked = false;
  if (turned) {
    const Nanoseconds marker = markers.back().start_ns;
    const auto around = starts_after(marker - wanted / 3);
    if (around != records.end() && around->start_ns <= latest) {
      found = std::next(around);
      marked = true;
      markers_shown_ = markers.size();
    } else if (marker > latest) {
      // Not enough after it yet: show what there is, up to the edge, and look again at once.
      found = around == records.end() ? found : std::next(around);
    } else {
      markers_shown_ = markers.size();
    }
  }
  if (found == records.begin()) found = std::next(found);
  const Nanoseconds start = std::prev(found)->start_ns;
  if (armed_ && start < label_origin_) return;
  axis_ = axis_.anchored(start, axis_.left_px() + 1);
  label_origin_ = start;
  triggered_ = marked || markers.size() == markers_shown_ ? now : Clock::time_point{};
  if (marked) hold_until_ = now + kMarkerHold;
  if (armed_) armed_ = false;
}

}  // namespace lanescope::ui
