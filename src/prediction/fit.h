// A machine model fitted to a recording, and to nothing else.
#pragma once

#include <vector>

#include "prediction/numbers.h"
#include "prediction/recording.h"
#include "prediction/simulation.h"

namespace lanescope::prediction {

/// The kernels of one op, as recorded.
struct MeasuredOp {
  ops::Op op;
  double ns = 0;
  double relative = 0;  ///< relative uncertainty of the mean
};

struct Fit {
  Numbers numbers;
  Machine machine;               ///< with all open numbers at their middle
  std::vector<OpenNumber> open;  ///< from fit_program(), including the open ones of `numbers`
  std::vector<MeasuredOp> ops;
  std::size_t aligned = 0;  ///< iterations whose calls match those that the workload makes
};

/// Fits what calls and copies show by themselves: enough of a machine to find out what the workload requests.
Fit fit_calls(const Recording& recording, const device::DeviceInfo& device);
/// Fits the rest by comparison with what the workload requested: kernels, the CPU's memory, the program's own time.
/// `shadow` is the recorded iterations on `fit.machine` without jitter, with memory accesses that take no time.
void fit_program(Fit& fit, const Recording& recording, const Simulation& shadow, const device::DeviceInfo& device);
/// Adds ops that were not recorded, derived from those that were.
void fit_new_ops(Fit& fit, const Simulation& changed);

/// The machine with all open numbers at the same position between their ends, see OpenNumber::set.
Machine at_the_end(const Fit& fit, double where);

}  // namespace lanescope::prediction
