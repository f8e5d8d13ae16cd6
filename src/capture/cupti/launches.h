// The launch configurations of recorded kernels, with a cache so that a kernel that was launched this way before takes
// no lock.
#pragma once

#include <array>
#include <cstdint>

#include "trace/sink.h"

namespace lanescope::capture::cupti {

class Launches {
 public:
  explicit Launches(trace::EventSink& sink) : sink_(sink) {}

  /// LaunchTable::kNone if the sink cannot take it.
  std::uint32_t number_of(const trace::LaunchShape& shape) {
    Known& known = recent_[trace::hash_of(shape) % recent_.size()];
    if (known.number == trace::LaunchTable::kNone || known.shape != shape) {
      try {
        known = {shape, sink_.launch(shape)};
      } catch (...) {  // out of memory: the kernel itself is not lost
        return trace::LaunchTable::kNone;
      }
    }
    return known.number;
  }

 private:
  struct Known {
    trace::LaunchShape shape;
    std::uint32_t number = trace::LaunchTable::kNone;
  };

  trace::EventSink& sink_;
  std::array<Known, 512> recent_{};
};

}  // namespace lanescope::capture::cupti
