// The sweep panel's state: the draft of the next sweep, and the sweep that is running or has run.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "experiment/sweep.h"
#include "picture/sweep_chart.h"
#include "workload/settings.h"

namespace lanescope::ui {

/// An axis as the user types it.
struct AxisDraft {
  std::string key;     ///< empty: axis not used
  std::string values;  ///< "1, 10, 100"
};

struct SweepDraft {
  std::array<AxisDraft, 2> axes;
  std::string figure = "iteration_us";
  std::string against;  ///< "log_interval=0"; empty: none
  std::string iterations = "200";
  bool own_iterations = false;  ///< typed: otherwise they follow the values, see enough_iterations()
  /// What else makes the run of a prepared sweep; empty: as the run on the screen.
  std::string workload, device;
  std::vector<std::string> assignments;
};

/// Values worth trying for a setting: its stops or choices, or values between its limits; at most eight.
std::string suggested_values(const workload::SettingSpec& spec);
/// So many that every interval among the values passes at least four times, and at least 200.
std::uint64_t enough_iterations(const SweepDraft& draft);
/// A prepared sweep as a draft.
SweepDraft draft_of(const experiment::SweepSpec& spec);
/// The sweep that a draft describes, if not of its own run then of the one on the screen; throws base::UsageError.
experiment::SweepSpec spec_of(const SweepDraft& draft, const std::string& workload, const std::string& device,
                              const std::vector<std::string>& assignments);

struct SweepState {
  bool open = false;
  std::string drafted_for;  ///< the workload that the draft is about
  SweepDraft draft;
  std::string problem;  ///< why the draft cannot be run
  /// The experiment of the sweep on the chart; null: the title is the workload's.
  const experiment::Experiment* told = nullptr;
  std::unique_ptr<experiment::Sweep> sweep;
  SweepTexts texts;
  std::size_t texts_of = 0;  ///< how many runs had ended when the texts were made
  bool show_ready = true;    ///< the ready-made sweeps are shown where the chart will be
  std::optional<std::size_t> marked;
  bool paused_the_run = false;  ///< the sweep paused the run, and resumes it afterwards
};

/// "P26  The log interval, in a table"
std::string sweep_title(const SweepState& state);

}  // namespace lanescope::ui
