// Whether a machine is too busy to draw all of a moving picture in time.
#pragma once

#include <cstdint>

namespace lanescope::ui {

/// If frames come too slowly, each draws the lanes and one of the other panels, in turn: on a software renderer, a
/// frame costs its pixels. All of it is drawn again as soon as there is time to spare.
class Coarseness {
 public:
  static constexpr double kSlow_ms = 40;   ///< between frames, smoothed: drawn coarser from there
  static constexpr double kSpare_ms = 20;  ///< drawn coarser, frames must stay below this to become fine again

  /// A frame of a moving picture begins, this long after the one before. `now_s` is on any clock that does not step.
  void frame(double now_s, double interval_ms);
  bool coarse() const { return coarse_; }
  std::uint64_t turn() const { return turn_; }  ///< counts the frames
  double frames_per_second() const { return 1000 / interval_ms_; }

 private:
  double smoothed_ms_ = 16;  // long pauses shortened
  double interval_ms_ = 16;  // smoothed as it is
  bool coarse_ = false;
  std::uint64_t turn_ = 0;
  double busy_s_ = 0;      // when there was last no time to spare
  double patience_s_ = 0;  // how long there must be
  double fine_s_ = -1e9;   // since when it is fine again
};

}  // namespace lanescope::ui
