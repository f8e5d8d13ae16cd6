// What the experiments' scripts took in PyTorch on a real GPU: assets/data/pytorch.toml, which
// scripts/measure_pytorch.py writes. Beside what is simulated and what was published, it is the third column.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "experiment/experiment.h"
#include "experiment/named_figure.h"
#include "experiment/published_numbers.h"

namespace lanescope::experiment {

/// The runs of one side: whole loops after their warm-up, with a wait for the GPU at both ends.
struct PytorchSide {
  double us = 0, least_us = 0, most_us = 0;  ///< per iteration: the median run, the fastest, the slowest
  Measured measured;                         ///< for figure_value(): the median pace, and the loop's own figures
};

struct InPytorch {
  analysis::Gain gain() const {
    const Measured &a = sides[0].measured, &b = sides[1].measured;
    return analysis::gain_between(a.summary.pace, a.batch_size, b.summary.pace, b.batch_size);
  }

  /// "PyTorch 2.11.0, NVIDIA H200, Intel Xeon Platinum 8480+ (16 cores), 2026-11-30"; translated.
  std::string machine() const;

  std::string torch, cpu, date;
  std::int64_t cores = 0;
  std::string gpu;  ///< "NVIDIA H200"
  std::array<PytorchSide, 2> sides;
  std::array<std::vector<std::string>, 2> assignments;  ///< of the sides, as measured
};

/// Null: not measured, an experiment of the user's own, or one whose settings are others, as in a lesson's step.
const InPytorch* in_pytorch(const Experiment& experiment);

/// Each published number as the scripts had it, in the order of Experiment::published; empty where they have no such
/// figure: all but times, factors of times, and the loop's own figures. `measured` may be null.
std::vector<std::optional<double>> published_in_pytorch(const Experiment& experiment, const InPytorch* measured);

/// One or two sentences if these runs of the sides tell another direction than PyTorch did, with the factors of both;
/// translated. Empty: they agree, or there is no factor between the sides. Where factors differ by less than a tenth,
/// they agree.
std::string disagreement(const InPytorch& measured, const Measured& before, const Measured& after);

}  // namespace lanescope::experiment
