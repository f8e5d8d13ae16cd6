// A measurement made by hand, for tests: a steady pace, and how much of the time the GPU was busy.
#pragma once

#include "experiment/named_figure.h"

namespace lanescope::lesson {

inline experiment::Measured measured(double iteration_ns, double busy_share) {
  experiment::Measured m;
  m.summary.pace = {analysis::PaceBasis::Steady, iteration_ns, 100, 0, 1'000'000, 0};
  m.summary.from_ns = 0;
  m.summary.to_ns = 1'000'000;
  m.summary.gpu_busy_ns = static_cast<base::Nanoseconds>(1e6 * busy_share);
  m.summary.iteration.count = 100;
  return m;
}

}  // namespace lanescope::lesson
