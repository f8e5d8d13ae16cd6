// A machine that is made from a recording, and from nothing else.
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
  double relative = 0;  ///< what the mean may be off by
};

struct Fit {
  Numbers numbers;
  Machine machine;               ///< with all that is open in the middle
  std::vector<OpenNumber> open;  ///< by fit_program(), with what is open of the numbers
  std::vector<MeasuredOp> ops;
  std::size_t aligned = 0;  ///< iterations whose calls are those that the workload makes
};

/// What calls and copies show by themselves: enough of a machine to find out what the workload asks for.
Fit fit_calls(const Recording& recording, const device::DeviceInfo& device);
/// The rest, beside what the workload asked for: kernels, the CPU's memory, what the program itself spends. `shadow`
/// is the recorded iterations on `fit.machine` without jitter, with memory that takes no time.
void fit_program(Fit& fit, const Recording& recording, const Simulation& shadow, const device::DeviceInfo& device);
/// Takes in ops that were not recorded, from those that were.
void fit_new_ops(Fit& fit, const Simulation& changed);

/// The machine with all that is open at one place between its ends, as OpenNumber::set has it.
Machine at_the_end(const Fit& fit, double where);

}  // namespace lanescope::prediction
