// Figures by name, for comparisons with published numbers and for sweeps; the units of published figures, and
// conversions between them.
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

/// True for those listed by known_units(): "ms", "GB/s", "%", "x", "syncs".
bool is_unit(std::string_view unit);
std::string known_units();  ///< for a message: "ns, us, ..."

/// 2.5 "ms" in "us" is 2500. Empty if the units are unknown or not convertible. A plain number ("", "x") is a count of
/// anything; as a share, 1 is 100 %.
std::optional<double> convert(double value, std::string_view from, std::string_view to);

bool is_time(std::string_view unit);   ///< "ns", "ms"
bool is_rate(std::string_view unit);   ///< "GB/s", "iterations/s"
bool is_share(std::string_view unit);  ///< "%", "fraction"

/// The unit as displayed after a number: "ms" and "GB/s" unchanged, "syncs" translated, "×" for "x".
std::string unit_in_words(std::string_view unit);

// --- figure ----------------------------------------------------------------------------------------------------------
// Figures by name, for comparisons with published numbers and for sweeps.

/// What figures are derived from: a finished run, or the recent stretch of one in progress.
struct Measured {
  analysis::Summary summary;
  std::vector<workload::Figure> figures;  ///< the workload's own figures
  double batch_size = 0;                  ///< samples per iteration; 0: unknown; negative: as in analysis/pace.h
};

/// How much faster the second is, for the same work.
analysis::Gain gain_between(const Measured& first, const Measured& second);

struct FigureInfo {
  std::string key;    ///< "iteration_us"
  std::string label;  ///< "time per iteration"; translated
  std::string unit;   ///< "µs"
};

/// The figures of every workload: those with a name in analysis/figure.h, total_s (for `iterations`) and samples_per_s
/// (needs a batch size). A workload's own figures are "own.KEY", the mean, or "own.KEY.total". Times and rates are
/// based on Summary::pace, so for a whole run they equal those of a stopwatch around the loop.
std::vector<FigureInfo> standard_figures();
/// `own` provides the label and unit of a workload's own figure, which are known only after a run. Throws
/// base::UsageError for an unknown name without "own.", listing the valid ones.
FigureInfo figure_info(std::string_view key, const std::vector<workload::Figure>& own = {});
/// Empty if there is no value: no iteration has ended, the launch queue is still filling, there is no copy in that
/// direction, or no such figure.
std::optional<double> figure_value(std::string_view key, const Measured& measured, std::uint64_t iterations = 0);

}  // namespace lanescope::experiment
