// What this machine's CPU reaches in the ops of the catalogue, for the simulated CPU of a profile.
#pragma once

#include <string>

namespace lanescope::calibration {

struct HostCpu {
  std::string name;
  double cores = 0;  ///< as many threads as it runs at once
  double page_fault_us_per_mib = 0;
  double fp32_gflops = 0;  ///< one thread's product of two matrices of 512 x 512, times the cores
  double op_us = 0;        ///< an op of one element
};

/// Takes a few hundred milliseconds.
HostCpu measure_host_cpu();

}  // namespace lanescope::calibration
