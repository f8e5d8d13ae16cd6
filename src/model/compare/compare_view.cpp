#include "model/compare/compare_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace lanescope::ui {
namespace {

constexpr double kEaseSeconds = 0.06;
constexpr double kArrived = 0.002;  // relative error of the scale
constexpr double kWidest = 1.1;     // times the length of the aligned runs

bool same_rect(const Rect& a, const Rect& b) {
  return a.x == b.x && a.y == b.y && a.width == b.width && a.height == b.height;
}

}  // namespace

bool CompareView::Key::same(const Key& o) const {
  return version == o.version && axis == o.axis && same_rect(bands, o.bands) && same_rect(words, o.words) &&
         same_rect(table, o.table) && scroll == o.scroll && table_scroll == o.table_scroll && scale == o.scale &&
         theme == o.theme && hint == o.hint && fonts == o.fonts;
}

void CompareView::take(const CompareState& state) {
  const bool other_a = a_ != state.a();
  const bool other_align = align_ != state.align;
  version_ = state.version();
  taken_ = true;
  align_ = state.align;
  a_ = state.a();
  b_ = state.b();
  composed.reset();
  alignment_ = {};
  rows_.clear();
  if (!a_) return;
  Alignment::Side b;
  if (b_) b = {b_->iterations, b_->typical};
  alignment_ = Alignment(align_, {a_->iterations, a_->typical}, b);
  texts_ = side_texts(*a_, b_.get());
  rows_ = difference_rows(*a_, b_.get());
  words_ = compare_words(*a_, b_.get());
  // Keep the user's zoom when only B changes.
  if (other_a || other_align || !by_hand_) wants_fit_ = true;
  if (other_a) scroll = table_scroll = 0;
}

TimeAxis CompareView::axis() const {
  return TimeAxis(axis_.origin_ns(), axis_.ns_per_pixel(), axis_.left_px(), axis_.width_px());
}

TimeAxis CompareView::bounded(const TimeAxis& wanted) const {
  const auto all = static_cast<double>(alignment_.end() - alignment_.begin());
  const double width = std::max(1.0f, wanted.width_px());
  const double most = std::max(kMinNsPerPixel * 2, all * kWidest / width);
  TimeAxis axis = wanted;
  const double scale = std::clamp(axis.ns_per_pixel(), kMinNsPerPixel, most);
  const float middle = axis.left_px() + axis.width_px() / 2;
  if (scale != axis.ns_per_pixel()) axis = axis.zoomed(axis.ns_per_pixel() / scale, middle);
  const Nanoseconds at = axis.to_ns(middle);
  if (at < alignment_.begin()) axis = axis.anchored(alignment_.begin(), middle);
  if (at > alignment_.end()) axis = axis.anchored(alignment_.end(), middle);
  return axis;
}

void CompareView::go_to(const TimeAxis& axis) {
  target_ = bounded(axis);
  if (!animated_) axis_ = *std::exchange(target_, std::nullopt);
}

void CompareView::zoom(double factor, float at_px) {
  by_hand_ = true;
  const TimeAxis from = target_.value_or(axis_);
  // At its bounds the zoom stops: the point under the mouse does not slide.
  const TimeAxis wanted = from.zoomed(factor, at_px);
  const TimeAxis possible = bounded(wanted);
  if (possible.ns_per_pixel() == from.ns_per_pixel()) return;
  go_to(possible.ns_per_pixel() == wanted.ns_per_pixel()
            ? wanted
            : from.zoomed(from.ns_per_pixel() / possible.ns_per_pixel(), at_px));
}

void CompareView::pan(float px) {
  by_hand_ = true;
  target_.reset();
  axis_ = bounded(axis_.panned(px));
}

void CompareView::fit() {
  by_hand_ = false;
  motion_.stop();
  const auto [from, to] = alignment_.first_view();
  go_to(axis_.fitted(from, to));
}

void CompareView::update(const CompareState& state, float left_px, float width_px, double seconds, bool animated) {
  animated_ = animated;
  const bool fresh = !taken_ || a_ != state.a();
  if (!taken_ || version_ != state.version() || align_ != state.align) take(state);
  if (left_px != axis_.left_px() || width_px != axis_.width_px()) {
    // Keep the same time range in view.
    const Nanoseconds from = axis_.begin_ns(), to = axis_.end_ns();
    axis_ = axis_.placed(left_px, width_px).fitted(from, std::max(to, from + 1));
    target_.reset();
    if (!by_hand_) wants_fit_ = true;
    if (!fresh && wants_fit_) animated_ = false;
  }
  if (wants_fit_) {
    wants_fit_ = false;
    if (fresh) animated_ = false;
    fit();
    animated_ = animated;
  }
  if (motion_.moving()) {
    by_hand_ = true;
    target_.reset();
    axis_ = bounded(motion_.step(axis_, seconds, animated));
  }
  if (!target_) return;
  axis_ = axis_.towards(*target_, 1 - std::exp(-seconds / kEaseSeconds));
  const double scales = std::abs(std::log(axis_.ns_per_pixel() / target_->ns_per_pixel()));
  if (scales < kArrived && std::abs(axis_.offset_px(*target_)) < 0.3) axis_ = *std::exchange(target_, std::nullopt);
}

}  // namespace lanescope::ui
