// The sweep panel's own state: what the next sweep is to be, and the one that runs or has run.
#pragma once

#include <array>
#include <cstddef>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/sweep.h"
#include "picture/sweep_chart.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// An axis as a person writes it.
struct AxisDraft {
  std::string key;     ///< empty: no such axis
  std::string values;  ///< "1, 10, 100"
};

struct SweepDraft {
  std::array<AxisDraft, 2> axes;
  std::string figure = "iteration_us";
  std::string against;  ///< "log_interval=0"; empty: none
  std::string iterations = "200";
};

/// Values worth trying for a setting: its stops or choices, or some between its limits; eight at most.
std::string suggested_values(const workload::SettingSpec& spec);
/// What a draft asks for, on top of the run that is on the screen; throws base::UsageError.
experiment::SweepSpec spec_of(const SweepDraft& draft, const std::string& workload, const std::string& device,
                              const std::vector<std::string>& assignments);

struct SweepState {
  bool open = false;
  std::string drafted_for;  ///< the workload that the draft is about
  SweepDraft draft;
  std::string problem;  ///< why the draft cannot be run
  /// Of the sweep on the chart: an experiment's own; else the workload's title says what it is.
  const experiment::Experiment* told = nullptr;
  std::unique_ptr<experiment::Sweep> sweep;
  SweepTexts texts;
  std::size_t texts_of = 0;  ///< runs that had ended when the texts were made
  bool show_ready = true;    ///< the ready sweeps stand where the chart will be
  std::optional<std::size_t> marked;
  bool paused_the_run = false;  ///< and lets it go on afterwards
};

/// "P26  The log interval, in a table"
std::string sweep_title(const SweepState& state);

}  // namespace lanescope::ui
