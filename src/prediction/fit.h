// A machine model fitted to a recording, and to nothing else.
#pragma once

#include <vector>

#include "calibration/quick_probe.h"
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
/// `probe`, if any, gives what they do not show.
Fit fit_calls(const Recording& recording, const device::DeviceInfo& device,
              const calibration::QuickProbe* probe = nullptr);
/// Fits the rest by comparison with what the workload requested: kernels, the CPU's memory, the program's own time.
/// `shadow` is the recorded iterations on `fit.machine` without jitter, with memory accesses that take no time.
void fit_program(Fit& fit, const Recording& recording, const Simulation& shadow, const device::DeviceInfo& device);
/// The ops that were not recorded, each once.
std::vector<ops::Op> new_ops(const Fit& fit, const Simulation& changed);
/// Adds ops that were not recorded: as probed, or else derived from those that were.
void fit_new_ops(Fit& fit, const std::vector<ops::Op>& wanted, const calibration::QuickProbe* probe = nullptr);
/// Those of them that a probe should time: they are expected to take less than two milliseconds.
std::vector<ops::Op> worth_probing(const Fit& fit, const std::vector<ops::Op>& wanted);

/// The machine with all open numbers at the same position between their ends, see OpenNumber::set.
Machine at_the_end(const Fit& fit, double where);

}  // namespace lanescope::prediction
