#include "timeline/view_history.h"

#include <cmath>

namespace lanescope::ui {

bool ViewHistory::alike(const TimeAxis& a, const TimeAxis& b) {
  const double spans = (b.span_ns() - a.span_ns()) / a.ns_per_pixel();
  const double begins = a.offset_px(b);
  return std::abs(begins) < 0.5 && std::abs(begins + spans) < 0.5;
}

void ViewHistory::see(const TimeAxis& view, Clock::time_point now) {
  if (since_ == Clock::time_point{} || !(view == seen_)) {
    seen_ = view;
    since_ = now;
    return;
  }
  if (now - since_ >= kStands) leave(view);
}

void ViewHistory::leave(const TimeAxis& view) {
  if (!views_.empty() && alike(views_[at_], view)) return;
  if (!views_.empty()) views_.resize(at_ + 1, view);
  views_.push_back(view);
  if (views_.size() > kMost) views_.erase(views_.begin());
  at_ = views_.size() - 1;
}

bool ViewHistory::can_go_back(const TimeAxis& current) const {
  return !views_.empty() && (at_ > 0 || !alike(views_[at_], current));
}

bool ViewHistory::can_go_forward(const TimeAxis& current) const {
  return at_ + 1 < views_.size() && alike(views_[at_], current);
}

std::optional<TimeAxis> ViewHistory::back(const TimeAxis& current) {
  if (!can_go_back(current)) return std::nullopt;
  leave(current);
  return views_[--at_];
}

std::optional<TimeAxis> ViewHistory::forward(const TimeAxis& current) {
  if (!can_go_forward(current)) return std::nullopt;
  return views_[++at_];
}

}  // namespace lanescope::ui
