// Measures a machine's matrix products and fits the tile size of the simulator's cost model to them.
#pragma once

#include "calibration/probe.h"

namespace lanescope::calibration {

struct GemmFit {
  double tflops = 0;  ///< of the fastest product
  int tile_rows = 128, tile_columns = 64;
  int products = 0;
  double mean_error = 0;  ///< mean relative error of the fitted durations
};

/// Measures products from 128 x 1000 x 1000 to 4096 x 4096 x 4096. Throws base::Error if no kernels are recorded.
GemmFit fit_gemm(Probe& probe, int sm_count, double kernel_floor_us);

}  // namespace lanescope::calibration
