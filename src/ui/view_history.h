// The views that a person had before, to go back to and forward again.
#pragma once

#include <chrono>
#include <cstddef>
#include <optional>
#include <vector>

#include "ui/time_axis.h"

namespace lanescope::ui {

/// A view enters when it has stood for a while, or when a jump leaves it. A new one cuts off those that were gone back
/// from.
class ViewHistory {
 public:
  using Clock = std::chrono::steady_clock;
  static constexpr std::chrono::milliseconds kStands{400};
  static constexpr std::size_t kMost = 100;

  /// Call once per frame with the view that stands; a moving one is another each time.
  void see(const TimeAxis& view, Clock::time_point now);
  /// A jump leaves this view, however short it stood.
  void leave(const TimeAxis& view);
  /// The view before, or after; `current` is where the view is, or is going to. A view that has not entered yet does
  /// now, so that there is a way back to it.
  std::optional<TimeAxis> back(const TimeAxis& current);
  std::optional<TimeAxis> forward(const TimeAxis& current);
  bool can_go_back(const TimeAxis& current) const;
  bool can_go_forward(const TimeAxis& current) const;

  std::size_t size() const { return views_.size(); }
  void reset() { *this = {}; }

  /// As good as the same to the eye: less than half a pixel apart, in windows of any width.
  static bool alike(const TimeAxis& a, const TimeAxis& b);

 private:
  std::vector<TimeAxis> views_;
  std::size_t at_ = 0;  // of the one that was entered or gone to last
  TimeAxis seen_;
  Clock::time_point since_{};
};

}  // namespace lanescope::ui
