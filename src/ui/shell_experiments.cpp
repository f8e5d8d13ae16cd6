// What the shell does with experiments: starts, flips and follows them.
#include <imgui.h>

#include <algorithm>
#include <limits>
#include <utility>

#include "base/translate.h"
#include "device/catalogue.h"
#include "ui/find/finding.h"
#include "ui/shell.h"
#include "ui/words.h"

namespace lanescope::ui {

using experiment::Experiment;
using experiment::Side;
using std::chrono::steady_clock;

namespace {

constexpr double kExperimentSpeed = 0.01;  // at which single waits can be seen; more where nothing happens
constexpr std::chrono::milliseconds kNothingHappens{700};
constexpr double kMeasuredSeconds = 8;

}  // namespace

void Shell::begin_anew() {
  state_.selection.clear();
  end_finding(state_);
  state_.advice.end();
  state_.compare.finish_reading();
  state_.code.end();
  state_.try_it.end();
  state_.scope.drop_average();
  if (state_.saving.valid()) state_.saving.wait();
  state_.timeline.clear();
  state_.scroll = 0;
}

void Shell::start(const session::SessionOptions& options) {
  state_.opening.cancel();  // what was asked for last is shown
  begin_anew();
  state_.model.start_run(options);
}

void Shell::start_experiment(std::string_view id_or_name, Side side) {
  start_experiment(experiment::experiment_named(id_or_name), side);
}

void Shell::start_experiment(const Experiment& experiment, Side side) {
  session::SessionOptions options = state_.model.options_now();
  options.workload = experiment.workload;
  options.device = experiment::chosen_device(experiment, side, state_.real_gpu);
  options.assignments = experiment.assignments(side);
  options.iterations = 0;
  options.speed = kExperimentSpeed;
  start(options);
  state_.experiment.emplace(experiment, side);
  state_.experiment_generation = 0;
  state_.shows_open = state_.correction_open = false;
  state_.auto_speed = {true, kExperimentSpeed, 0, steady_clock::now()};
}

void Shell::begin_with(const Experiment& experiment, session::SessionOptions session) {
  if (session.device == "auto") {
    const device::DeviceInfo present = device::describe_device(session.device);
    if (present.simulated) session.device = experiment.device_of(Side::Before);
  }
  session.workload = experiment.workload;
  session.assignments = experiment.assignments(Side::Before);
  start(session);
  state_.experiment.emplace(experiment, Side::Before);
}

void Shell::show_side(Side side) {
  if (!state_.experiment || !state_.model.live()) return;
  const Experiment& experiment = state_.experiment->experiment();
  const session::Session& session = *state_.model.session();
  if (flips_in_place(experiment) && session.runner().running()) {
    const workload::Settings standard = workload::default_settings(experiment.workload, session.device());
    std::vector<std::string> assignments;
    for (const auto& [key, value] : side_settings(experiment, side, standard))
      assignments.push_back(key + "=" + workload::to_text(value));
    if (const std::string refused = state_.model.assign(assignments); !refused.empty()) {
      state_.show_toast(refused, true);
      return;
    }
    state_.experiment->set_side(side);
    return;
  }
  session::SessionOptions options = state_.model.options_now();
  if (!flips_in_place(experiment)) options.device = experiment::chosen_device(experiment, side, state_.real_gpu);
  options.assignments = experiment.assignments(side);
  const Side before = state_.experiment->side();
  state_.experiment->set_side(side);
  try {
    start(options);
  } catch (...) {
    state_.experiment->set_side(before);
    throw;
  }
}

// Which side holds is read off the settings, however they came to be; what it gives is kept for the other side's time.
void Shell::follow_experiment() {
  const Model& model = state_.model;
  if (!model.live()) return;
  const session::Session& session = *model.session();
  if (!model.simulated() && session.device().id.starts_with("cuda")) {
    state_.real_gpu = session.device().id;
  } else if (model.simulated()) {
    state_.real_gpu.clear();
  }
  if (!state_.experiment) return;
  ActiveExperiment& active = *state_.experiment;
  if (session.workload().name != active.experiment().workload) {  // another workload was chosen
    state_.experiment.reset();
    return;
  }
  if (state_.experiment_generation != model.generation()) {
    state_.experiment_generation = model.generation();
    state_.experiment_summary = model.recent_number();
    active.begin_run(workload::default_settings(active.experiment().workload, session.device()), session.device().id);
  }
  const workload::Settings settings = session.settings();
  if (const auto side = active.side_of(settings)) active.set_side(*side);
  if (state_.experiment_summary == model.recent_number() || !model.recent_is_current()) return;
  state_.experiment_summary = model.recent_number();
  // The longest stretch that tells: one in which the queue filled tells of that only.
  analysis::Summary summary = model.recent_over(kMeasuredSeconds);
  if (!summary.pace.known()) summary = model.recent();
  if (!summary.pace.known()) return;
  active.keep(settings, {std::move(summary), session.runner().figures(), experiment::batch_size_of(settings)});
}

void Shell::adapt_speed() {
  AutoSpeed& automatic = state_.auto_speed;
  if (!automatic.on || !state_.model.virtual_time()) return;
  if (state_.model.speed() != automatic.set) {
    automatic.on = false;
    return;
  }
  const auto now = steady_clock::now();
  const std::size_t iterations = state_.model.analysis().records().size();
  if (iterations != automatic.iterations || state_.model.paused() || state_.gallery.open) {
    automatic.iterations = iterations;
    automatic.since = now;
  }
  if (now - automatic.since < kNothingHappens || automatic.set >= 1) return;
  automatic.set = std::min(1.0, automatic.set * 10);
  automatic.since = now;
  state_.model.set_speed(automatic.set);
}

void Shell::toggle_language() {
  using base::Language;
  if (state_.language() == Language::Chinese) {
    state_.preferences.language = Language::English;
  } else if (has_chinese_font()) {
    state_.preferences.language = Language::Chinese;
  } else {
    state_.show_toast(no_chinese_text(), true);
  }
}

// What is kept in words is said again in the language that is wanted; a message that was shown is of its moment.
void Shell::follow_language() {
  if (base::language() == state_.language()) return;
  base::set_language(state_.language());
  state_.toast.reset();
  state_.model.say_again();
  if (state_.range_figures.summary) judge(*state_.range_figures.summary);
  state_.advice.say_again();
  state_.try_it.say_again();
  state_.sweep.texts_of = std::numeric_limits<std::size_t>::max();
  state_.timeline.clear();
  state_.gallery.list = gallery_list(experiment::experiments(), state_.gallery.filter, state_.language());
  if (state_.palette.open) open_palette(state_);
  if (!state_.devices.empty()) state_.devices = device::catalogue();
}

void Shell::open_gallery(bool open) {
  GalleryState& gallery = state_.gallery;
  if (open == gallery.open) return;
  gallery.open = gallery.just_opened = open;
  if (!open) return;
  state_.help_open = state_.health_open = false;
  gallery.filter.clear();
  gallery.list = gallery_list(experiment::experiments(), "", state_.language());
  gallery.selected = 0;
  if (state_.experiment) gallery.selected = gallery.list.place_of(&state_.experiment->experiment()).value_or(0);
  gallery.scroll_to_selected = true;
}

}  // namespace lanescope::ui
