// The figures by name: what a published number is compared with, and what a sweep draws.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/summary.h"
#include "workload/figures.h"
#include "workload/settings.h"

namespace lanescope::experiment {

/// What a figure is worked out from: a finished run, or the last stretch of one that goes on.
struct Measured {
  analysis::Summary summary;
  std::vector<workload::Figure> figures;  ///< the workload's own
  double batch_size = 0;                  ///< samples that an iteration takes; 0: not known
};

/// What the setting batch_size says; 0 where there is none.
double batch_size_of(const workload::Settings& settings);

struct FigureInfo {
  std::string key;    ///< "iteration_us"
  std::string label;  ///< "time per iteration" (translated where it is shown)
  std::string unit;   ///< "µs"
};

/// Those that every workload has: iteration_us, iteration_ms, total_s (needs `iterations`), iterations_per_s,
/// samples_per_s (needs a batch size), syncs_per_iteration, launches_per_iteration, gpu_busy_percent, kernel_percent,
/// host_wait_us (per iteration), bubble_percent, h2d_gb_per_s, d2h_gb_per_s, h2d_ms and d2h_ms (copying, per
/// iteration), transfer_percent (copies in either direction, of the time; both at once count twice). A workload's own
/// are "own.KEY": the mean, or "own.KEY.total". Times and rates are of Summary::pace, so that of a whole run they are
/// what a stopwatch around the loop would show; total_s is for as many iterations as are asked for.
const std::vector<FigureInfo>& standard_figures();
/// The label and unit of a workload's own figure are in `own`, which is known when it has run. Throws base::UsageError
/// for an unknown name that is not "own.": lists what is allowed.
FigureInfo figure_info(std::string_view key, const std::vector<workload::Figure>& own = {});
/// Empty where there is nothing to tell: no iteration ended, the launch queue still fills, no copy in that direction,
/// no such figure.
std::optional<double> figure_value(std::string_view key, const Measured& measured, std::uint64_t iterations = 0);

}  // namespace lanescope::experiment
