#include "capture/cupti/clock_map.h"

#include <utility>

namespace lanescope::capture::cupti {
namespace {

constexpr int kBrackets = 16;
constexpr int kMostBrackets = 128;  // limit, in case every bracket is interrupted
constexpr Nanoseconds kJump = 50 * base::kMicrosecond;
constexpr std::size_t kMostEpochs = 8;

// Timestamps may be arbitrary; unsigned numbers wrap around without undefined behaviour.
Nanoseconds difference(std::uint64_t cupti_ns, Nanoseconds other) {
  return static_cast<Nanoseconds>(cupti_ns - static_cast<std::uint64_t>(other));
}

}  // namespace

ClockMap::ClockMap(Clocks clocks) : clocks_(std::move(clocks)) {}

bool ClockMap::compare() {
  Nanoseconds best_width = std::numeric_limits<Nanoseconds>::max();
  Nanoseconds distance = 0;
  for (int i = 0; i < kBrackets || (best_width > kJump && i < kMostBrackets); ++i) {
    const Nanoseconds before = clocks_.trace_ns();
    const std::uint64_t cupti = clocks_.cupti_ns();
    const Nanoseconds width = clocks_.trace_ns() - before;
    if (width < 0 || width >= best_width) continue;
    best_width = width;
    distance = difference(cupti, before + width / 2);
  }
  if (!known()) {
    epochs_.push_back({distance});
    return false;
  }
  // The offset is uncertain by half a bracket. A comparison less precise than the jump it looks for means nothing.
  const auto moved =
      static_cast<std::uint64_t>(difference(static_cast<std::uint64_t>(distance), epochs_.back().distance_ns));
  const std::uint64_t size = moved >> 63 ? std::uint64_t{0} - moved : moved;
  if (best_width > kJump || size <= static_cast<std::uint64_t>(kJump)) return false;
  epochs_.push_back({distance});
  if (epochs_.size() > kMostEpochs) epochs_.pop_front();
  return true;
}

Nanoseconds ClockMap::last_jump_ns() const {
  if (epochs_.size() < 2) return 0;
  return epochs_.back().distance_ns - epochs_[epochs_.size() - 2].distance_ns;
}

Nanoseconds ClockMap::to_trace(std::uint64_t cupti_ns) const {
  if (!known()) return static_cast<Nanoseconds>(cupti_ns);
  const Nanoseconds newest = difference(cupti_ns, epochs_.back().distance_ns);
  if (epochs_.size() == 1 || newest <= seen_now_ns_) return newest;
  seen_now_ns_ = clocks_.trace_ns();
  for (auto epoch = epochs_.rbegin(); epoch != epochs_.rend(); ++epoch) {
    const Nanoseconds t = difference(cupti_ns, epoch->distance_ns);
    if (t <= seen_now_ns_) return t;
  }
  return newest;
}

}  // namespace lanescope::capture::cupti
