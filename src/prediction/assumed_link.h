// What links do that a recording does not show.
//
// The rates of the catalogue's real machines (assets/profiles, where each number names its source, in 1e9 bytes per
// second), from pinned and from pageable memory:
//
//   machine                H2D pinned  pageable  ratio   D2H pinned  pageable  ratio
//   h200 (PCIe 5.0)             55.48      9.25   6.00        55.31     16.93   3.27
//   rtx5090 (PCIe 5.0)          56.3       9.2    6.12        57.3       9.2    6.23
//   rtx4090 (P20)               13.45      5.96   2.26        13.37      5.13   2.61
//   rtx4070-laptop-wsl2         12         5      2.4         12         4      3
//
// A rate whose partner was recorded lies within the ratios of its direction; otherwise within the rates. The link's
// generation and width are unknown, and the CPU, not the link, sets the pageable rate, so that one does not give the
// other more exactly.
#pragma once

#include "prediction/numbers.h"

namespace lanescope::prediction {

/// Narrows the link rates that the recording does not show. A rate in the middle is the geometric mean of its bounds.
void assume_link(Numbers& numbers);

}  // namespace lanescope::prediction
