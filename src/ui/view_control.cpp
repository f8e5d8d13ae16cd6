#include "ui/view_control.h"

#include <algorithm>
#include <cmath>

namespace lanescope::ui {
namespace {

constexpr double kIterationsAtFirst = 3.2;
// Easing: the distance left shrinks by e in this time.
constexpr double kEaseSeconds = 0.06;
// A live edge that has not come for so long after the last call is not waited for.
constexpr double kPatienceSeconds = 2;

}  // namespace

Nanoseconds FollowedEdge::update(Nanoseconds live_edge, Nanoseconds now, bool call_open, double seconds) {
  since_open_ = call_open ? 0 : since_open_ + seconds;
  const bool goes_on = follows_now_ && since_open_ < kPatienceSeconds;
  const bool wanted = now - live_edge > kFarBehind && (call_open || goes_on);
  if (wanted != follows_now_) {
    slack_ += static_cast<double>(wanted ? live_edge - now : now - live_edge);
    follows_now_ = wanted;
  } else {
    slack_ *= std::exp(-seconds / kEaseSeconds);
    if (std::abs(slack_) < 1000) slack_ = 0;
  }
  return (follows_now_ ? now : live_edge) + static_cast<Nanoseconds>(slack_);
}

void ViewControl::set_mode(ViewMode mode) {
  armed_ = mode == ViewMode::Single;
  if (mode != ViewMode::Single) before_freeze_ = mode;
  mode_ = mode;
  triggered_ = {};
  hold_until_ = {};
  edge_.reset();
  target_.reset();
}

void ViewControl::resume() {
  if (mode_ != ViewMode::Single) return;
  set_mode(before_freeze_);
}

void ViewControl::freeze() {
  placed_ = true;  // by hand now
  if (mode_ != ViewMode::Single) before_freeze_ = mode_;
  mode_ = ViewMode::Single;
  armed_ = false;
}

void ViewControl::retrigger() { triggered_ = {}; }

void ViewControl::place_initially(const Model& model, float left_px, float width_px) {
  const auto [from, to] = model.extent();
  const auto records = model.analysis().records();
  axis_ = TimeAxis(from, 1000, left_px, width_px);
  const Nanoseconds first = records.empty() ? from : records.front().start_ns;
  if (model.live()) {
    // A guess until the first iterations are known. The very first may be a thousand times as long as the others, when
    // a GPU's code is loaded in it.
    const auto enough = static_cast<std::size_t>(kIterationsAtFirst) + 1;
    placed_ = records.size() > enough;
    const double span = placed_ ? static_cast<double>(records[enough].end_ns - records[1].start_ns) /
                                      static_cast<double>(enough) * kIterationsAtFirst
                                : 1e6;
    axis_ = axis_.with_ns_per_pixel(span / static_cast<double>(width_px)).anchored(first, left_px);
  } else {
    placed_ = true;
    mode_ = ViewMode::Single;
    armed_ = false;
    axis_ = axis_.fitted(from, to);
    label_origin_ = from;
  }
}

void ViewControl::update(const Model& model, float left_px, float width_px, Clock::time_point now) {
  if (generation_ != model.generation()) {
    generation_ = model.generation();
    placed_ = false;
    target_.reset();
    label_origin_ = 0;
    markers_shown_ = 0;
    edge_.reset();
    if (model.live()) set_mode(before_freeze_);
  }
  if (!placed_) place_initially(model, left_px, width_px);
  if (axis_.left_px() != left_px || axis_.width_px() != width_px) {
    // The same stretch in another width: what a person looks at stays.
    const double ns_per_pixel = axis_.span_ns() / static_cast<double>(width_px);
    axis_ = axis_.placed(left_px, width_px).with_ns_per_pixel(ns_per_pixel);
    target_.reset();
  }
  const double seconds =
      last_update_ == Clock::time_point{} ? 0 : std::chrono::duration<double>(now - last_update_).count();
  last_update_ = now;
  if (target_) {
    const double share = 1 - std::exp(-seconds / kEaseSeconds);
    const double ratio = target_->ns_per_pixel() / axis_.ns_per_pixel();
    // Interpolating the two edges keeps the point under the cursor where it is, on any way between the two views.
    const auto between = [&](Nanoseconds a, Nanoseconds b) {
      return a + static_cast<Nanoseconds>(std::llround(static_cast<double>(b - a) * share));
    };
    const Nanoseconds from = between(axis_.begin_ns(), target_->begin_ns());
    const Nanoseconds to = between(axis_.end_ns(), target_->end_ns());
    const bool near =
        std::abs(std::log(ratio)) < 0.002 && std::abs(axis_.to_px(target_->begin_ns()) - axis_.left_px()) < 0.5f;
    if (near || to - from < static_cast<Nanoseconds>(width_px) || target_->span_ns() < 4.0 * width_px) {
      axis_ = target_->placed(left_px, width_px);  // close, or too deep for whole nanoseconds to ease smoothly
      target_.reset();
    } else {
      axis_ = axis_.fitted(from, to);
    }
  }
  if (!model.live() || held_) return;
  if (mode_ == ViewMode::Roll) roll(model, seconds);
  if (mode_ == ViewMode::Trigger || armed_) trigger(model, now);
}

void ViewControl::roll(const Model& model, double seconds) {
  label_origin_ = 0;
  const Nanoseconds edge = edge_.update(model.live_edge(), model.now(), !model.open_calls().empty(), seconds);
  axis_ = axis_.anchored(edge, axis_.right_px() - static_cast<float>(kEdgeShare) * axis_.width_px());
}

void ViewControl::zoom(double factor, float at_px) {
  freeze();
  target_ = (target_ ? *target_ : axis_).zoomed(factor, at_px);
}

void ViewControl::pan(float px) {
  freeze();
  target_.reset();
  axis_ = axis_.panned(px);
}

void ViewControl::glide(float px) {
  freeze();
  target_ = (target_ ? *target_ : axis_).panned(px);
}

void ViewControl::show(Nanoseconds from, Nanoseconds to) {
  freeze();
  const Nanoseconds margin = std::max<Nanoseconds>(1, (to - from) / 8);
  target_ = axis_.fitted(from - margin, to + margin);
}

void ViewControl::fit(const Model& model) {
  const auto [from, to] = model.extent();
  freeze();
  target_ = axis_.fitted(from, to);
}

}  // namespace lanescope::ui
