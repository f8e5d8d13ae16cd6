#include "render/coarseness.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr double kSmoothing = 0.1;     // of a frame: about ten slow ones in a row make a difference
constexpr double kMostOfOne_ms = 100;  // one long pause is not a busy machine
constexpr double kPatience_s = 2, kMostPatience_s = 64;

}  // namespace

void Coarseness::frame(double now_s, double interval_ms) {
  ++turn_;
  smoothed_ms_ += (std::min(interval_ms, kMostOfOne_ms) - smoothed_ms_) * kSmoothing;
  interval_ms_ += (interval_ms - interval_ms_) * kSmoothing;
  if (!coarse_ && smoothed_ms_ > kSlow_ms) {
    // Right after it became fine again: then all takes far longer than the lanes do, and is not to be tried again so
    // soon.
    patience_s_ = now_s - fine_s_ < 10 ? std::min(2 * patience_s_, kMostPatience_s) : kPatience_s;
    coarse_ = true;
    busy_s_ = now_s;
  } else if (coarse_ && smoothed_ms_ >= kSpare_ms) {
    busy_s_ = now_s;
  } else if (coarse_ && now_s - busy_s_ > patience_s_) {
    coarse_ = false;
    fine_s_ = now_s;
  }
}

}  // namespace lanescope::ui
