#include "shell/save_experiment.h"

#include <algorithm>
#include <cmath>
#include <system_error>
#include <utility>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "experiment/experiment.h"
#include "experiment/own_experiments.h"
#include "io/atomic_file.h"
#include "model/experiment/screen_experiment.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

namespace fs = std::filesystem;
using base::tr;
using experiment::Experiment;

constexpr Nanoseconds kMostNs = 3'600'000'000'000;  // what a file accepts

Nanoseconds whole_us(Nanoseconds ns) { return std::clamp<Nanoseconds>((ns + 500) / 1000 * 1000, 1000, kMostNs); }

std::string trigger_of(const TriggerSettings& trigger) {
  switch (trigger.source) {
    case TriggerSource::LongWait:
      return "wait";
    case TriggerSource::Name:
      return trigger.name.empty() ? "iteration" : trigger.name;
    default:
      return "iteration";
  }
}

// Folded by the user or by the experiment; each name once.
std::vector<std::string> folded_lanes(const ShellState& state) {
  const trace::Trace& trace = state.model.trace();
  const trace::Trace::ReadLock lock(trace);
  const std::vector<std::string> keys = lane_keys(trace);
  std::vector<std::string> names;
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const std::string& name = trace.lane(static_cast<trace::LaneId>(i)).info().name;
    const bool known = std::ranges::find(names, name) != names.end();
    if (!known && state.lanes.choice(keys[i]).folded) names.push_back(name);
  }
  return names;
}

// Empty: the usual ones.
std::vector<std::string> chosen_plots(const PlotChoice& choice) {
  std::vector<std::string> keys;
  for (const ChosenPlot& plot : choice.plots()) keys.push_back(plot.key);
  PlotChoice usual;
  return choice.plots() == usual.plots() ? std::vector<std::string>() : keys;
}

experiment::View view_of(const ShellState& state) {
  experiment::View view;
  const TriggerSettings& trigger = state.view.trigger_settings();
  view.trigger = trigger_of(trigger);
  if (trigger.source == TriggerSource::LongWait) view.wait_over_ns = whole_us(trigger.wait_over_ns);
  if (trigger.hold_off_ns > 0) view.hold_off_ns = whole_us(trigger.hold_off_ns);
  const analysis::Pace& pace = state.model.recent().pace;
  const double held = pace.known() ? std::floor(state.view.destination().span_ns() / pace.ns) : 1;
  view.iterations = std::clamp(held, 1.0, 1000.0);
  view.folded = folded_lanes(state);
  view.plots = chosen_plots(state.plots.view.choice);
  return view;
}

// The running experiment, unless its own knobs were turned to what neither side has.
const Experiment* sides_from(const ShellState& state) {
  const auto& active = state.experiment.active;
  if (!active) return nullptr;
  const bool on_a_side = active->side_of(state.model.steering()->settings()).has_value();
  return on_a_side || !state.settings_history.last_turn() ? &active->experiment() : nullptr;
}

Experiment experiment_on_screen(const ShellState& state) {
  const Steering& steering = *state.model.steering();
  const device::DeviceInfo device = state.model.source().device();
  const std::string workload(steering.workload().name);
  ShownRun shown{workload,      device.id, 1000, workload::default_settings(workload, device), steering.settings(),
                 view_of(state)};
  if (const auto& active = state.experiment.active) shown.iterations = active->experiment().iterations;
  if (const Experiment* like = sides_from(state)) return experiment_like(*like, shown);
  return experiment_of_turn(shown, state.settings_history.last_turn()->before);
}

}  // namespace

std::string no_experiment_to_save(const ShellState& state) {
  if (!state.model.steering())
    return no_run(state).empty() ? tr("its settings cannot be changed from here") : no_run(state);
  if (state.experiment.active || state.settings_history.last_turn()) return "";
  return tr("turn a knob first: its two positions become the two sides");
}

void save_experiment(ShellState& state) {
  Experiment experiment = experiment_on_screen(state);
  const fs::path folder = lesson::own_experiments_folder();
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    return state.show_toast(folder.string() + ": " + tr("cannot write") + ": " + base::system_error_text(error.value()),
                            true);
  }
  const fs::path proposed = folder / file_name_of(experiment);
  state.own_files.to_save = std::move(experiment);
  ask_for_file(state, FilePurpose::SaveExperiment,
               {true, tr("Save as an experiment"), proposed, {".toml"}, tr("Experiments")});
}

void save_experiment_to(ShellState& state, const fs::path& path) {
  const auto experiment = std::exchange(state.own_files.to_save, std::nullopt);
  if (!experiment) return;
  io::write_text_file(path, to_toml(*experiment));
  const Experiment& saved = experiment::add_file(path);
  look_again(state);
  state.show_toast(tr("{} saved: {}", saved.id, path.string()));
}

}  // namespace lanescope::ui
