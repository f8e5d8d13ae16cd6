// What has been read of a file so far, coarsely: how busy each lane is over time. A large file has a picture with it
// while it is read. The reading thread adds; any other may look, and gets what there was a moment ago.
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <mutex>
#include <string>
#include <vector>

#include "base/time.h"
#include "trace/sink.h"

namespace lanescope::io {

class FirstPicture {
 public:
  static constexpr std::size_t kBins = 1024;
  static constexpr std::size_t kMostLanes = 256;  ///< those that come later are left out

  struct Lane {
    trace::LaneInfo info;
    std::uint64_t events = 0;
    base::Nanoseconds from_ns = 0, bin_ns = 1;
    std::vector<float> busy;  ///< kBins shares, 0 to 1, from from_ns on
  };
  struct Look {
    std::vector<Lane> lanes;                   ///< in the order of the file
    base::Nanoseconds from_ns = 0, to_ns = 0;  ///< of all events; equal: there are none yet
  };

  /// Lanes are numbered by the caller. An event that ends before it starts counts as one without length; one that is
  /// decades away from all others is left out.
  void add(std::size_t lane, const trace::LaneInfo& info, base::Nanoseconds start_ns, base::Nanoseconds end_ns) {
    if (end_ns < start_ns) end_ns = start_ns;
    if (lane >= kMostLanes || start_ns < kEarliest || end_ns > kLatest) return;
    if (lane >= lanes_.size() || lanes_[lane].depth.empty()) begin_lane(lane, info);
    if (start_ns < from_ || end_ns >= until_) make_room(start_ns, end_ns);
    earliest_ = start_ns < earliest_ ? start_ns : earliest_;
    latest_ = end_ns > latest_ ? end_ns : latest_;
    Adding& to = lanes_[lane];
    ++to.events;
    const auto first = static_cast<std::size_t>((start_ns - from_) >> shift_);
    const auto last = static_cast<std::size_t>((end_ns - from_) >> shift_);
    if (first == last) {
      to.part[first] += static_cast<double>(end_ns - start_ns);
      return;
    }
    to.part[first] += static_cast<double>(begin_of(first + 1) - start_ns);
    to.part[last] += static_cast<double>(end_ns - begin_of(last));
    ++to.depth[first + 1];
    --to.depth[last];
  }
  /// The reading thread, now and then: what has been added since can be looked at, if somebody has asked.
  void show() {
    if (asked()) copy();
  }
  /// Somebody wants to look; without that, nothing need be shown.
  bool asked() const { return asked_.load(std::memory_order_relaxed); }
  /// The pictures of several files that are read at once, one below the other.
  void show(std::vector<Look> files);

  /// Any thread: the last picture that was shown; asks for the next.
  Look look() const;

 private:
  struct Adding {
    trace::LaneInfo info;
    std::uint64_t events = 0;
    // By bin: the time in it of events that begin or end there; and how many more others go through it than through the
    // one before. Not whole numbers, which a file made for it could bring to overflow.
    std::vector<double> part, depth;
  };

  base::Nanoseconds begin_of(std::size_t bin) const { return from_ + (static_cast<base::Nanoseconds>(bin) << shift_); }
  void begin_lane(std::size_t lane, const trace::LaneInfo& info);
  void make_room(base::Nanoseconds start_ns, base::Nanoseconds end_ns);
  std::vector<double> busy_of(const Adding& lane) const;
  void copy();

  // From the epoch to the year 2043 in nanoseconds, and clocks that begin anywhere before.
  static constexpr base::Nanoseconds kLatest = base::Nanoseconds{1} << 61, kEarliest = -(base::Nanoseconds{1} << 59);

  // Of the reading thread. Bins are 1 << shift_ ns long, and begin at multiples of that.
  std::vector<Adding> lanes_;
  int shift_ = 10;
  base::Nanoseconds from_ = 0, until_ = 0;
  base::Nanoseconds earliest_ = std::numeric_limits<base::Nanoseconds>::max(),
                    latest_ = std::numeric_limits<base::Nanoseconds>::min();

  mutable std::atomic<bool> asked_{false};
  mutable std::mutex mutex_;
  Look shown_;
};

}  // namespace lanescope::io
