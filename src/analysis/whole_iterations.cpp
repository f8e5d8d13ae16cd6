#include "analysis/whole_iterations.h"

#include <algorithm>
#include <iterator>

namespace lanescope::analysis {

WholeIterations::Sum WholeIterations::Stretch::until(const Point& point) const {
  Sum sum = before;
  sum.totals += point - first;
  sum.iterations += point.number - first.number;
  sum.run_ahead_ns += point.run_ahead_ns - first.run_ahead_ns;
  return sum;
}

void WholeIterations::pass(const Point& point) {
  if (!begun_) return;
  if (!in_stretch_) {
    if (stretches_.empty()) beginning_ns_ = point.end_ns;
    stretches_.push_back({point, point, all()});
    in_stretch_ = true;
    if (stretches_.size() > kMostStretches) {
      stretches_.pop_front();
      dropped_ = true;
    }
    return;
  }
  Stretch& stretch = stretches_.back();
  stretch.last = point;
  if (point.number == 1 && stretch.first.number == 0) first_ = all();
}

void WholeIterations::add_gap(const Bubble& gap) {
  if (stretches_.empty()) return;
  Stretch& stretch = stretches_.back();
  stretch.first.add_gap(gap, stretch.first.end_ns);
  stretch.last.add_gap(gap, stretch.last.end_ns);
}

void WholeIterations::add_place(const Bubble& gap) {
  if (stretches_.empty()) return;
  Stretch& stretch = stretches_.back();
  stretch.first.add_place(gap, stretch.first.end_ns);
  stretch.last.add_place(gap, stretch.last.end_ns);
}

void WholeIterations::set_run_ahead(std::int64_t number, std::int64_t integral_ns) {
  const auto number_of = [](const Stretch& s) { return s.last.number; };
  auto stretch = std::ranges::lower_bound(stretches_, number, {}, number_of);
  if (stretch == stretches_.end() || number < stretch->first.number) return;
  if (number == stretch->first.number) stretch->first.run_ahead_ns = integral_ns;
  if (number == stretch->last.number) stretch->last.run_ahead_ns = integral_ns;
  for (auto next = std::next(stretch); next != stretches_.end(); ++stretch, ++next)
    next->before.run_ahead_ns = stretch->before.run_ahead_ns + stretch->last.run_ahead_ns - stretch->first.run_ahead_ns;
}

WholeIterations::Sum WholeIterations::until(const Point& point) const {
  const auto next =
      std::ranges::upper_bound(stretches_, point.end_ns, {}, [](const Stretch& s) { return s.first.end_ns; });
  if (next == stretches_.begin()) {
    return dropped_ && point.end_ns > beginning_ns_ ? stretches_.front().before : Sum{};
  }
  const Stretch& stretch = next[-1];
  return point.end_ns >= stretch.last.end_ns ? stretch.until_end() : stretch.until(point);
}

}  // namespace lanescope::analysis
