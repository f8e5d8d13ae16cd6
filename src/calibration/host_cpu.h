// Measures this machine's CPU on the catalogue's ops, for the simulated CPU of a profile.
#pragma once

#include <string>

namespace lanescope::calibration {

struct HostCpu {
  std::string name;
  double cores = 0;  ///< number of threads it can run at once
  double copy_gb_per_s = 0;
  double page_fault_us_per_mib = 0;
  double fp32_gflops = 0;  ///< one thread's product of two 512 x 512 matrices, times the cores
  double op_us = 0;        ///< time of an op on a single element
};

/// Blocks for a few hundred milliseconds.
HostCpu measure_host_cpu();

}  // namespace lanescope::calibration
