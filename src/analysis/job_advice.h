// The advisor's rules about several GPUs that wait for each other.
#pragma once

#include <atomic>
#include <vector>

#include "analysis/advice.h"
#include "analysis/collectives.h"

namespace lanescope::analysis {

/// What the rules look at: the collectives of a stretch with whole iterations.
struct JobStretch {
  Nanoseconds from_ns = 0, to_ns = 0;
  Nanoseconds recorded_ns = 0;  ///< of that, as in Evidence::span_ns(), and of all GPUs
  std::int64_t iterations = 0;
  double iteration_ns = 0;  ///< the mean
};

/// In no order. None without collectives of two or more GPUs, or if those say too little of who arrived last.
std::vector<Card> job_cards(const trace::Trace& trace, const Collectives& collectives, const JobStretch& stretch,
                            const std::atomic<bool>* stop = nullptr);

}  // namespace lanescope::analysis
