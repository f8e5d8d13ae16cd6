// The matrix products of a machine, and the tiles with which the simulator's cost model gives them best.
#pragma once

#include "calibration/probe.h"

namespace lanescope::calibration {

struct GemmFit {
  double tflops = 0;  ///< of the fastest product
  int tile_rows = 128, tile_columns = 64;
  int products = 0;
  double mean_error = 0;  ///< of the durations, as a share
};

/// Measures products from 128 x 1000 x 1000 to 4096 x 4096 x 4096.
GemmFit fit_gemm(Probe& probe, int sm_count, double kernel_floor_us);

}  // namespace lanescope::calibration
