#include "window/shell.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "base/error.h"
#include "base/time.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "model/experiment/screen_experiment.h"
#include "model/source/live_source.h"
#include "shell/bindings.h"
#include "shell/code.h"
#include "shell/finding.h"
#include "shell/idle_gaps.h"
#include "shell/looking.h"
#include "shell/marks_file.h"
#include "shell/write_pictures.h"
#include "window/focus_ring.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/panels/timeline/timeline_panels.h"
#include "workload/common_settings.h"

namespace lanescope::ui {

using experiment::Experiment;
using experiment::Side;

namespace {

constexpr double kExperimentSpeed = 0.01;  // slow enough to see single waits; raised while nothing happens
constexpr std::chrono::milliseconds kNothingHappens{700};

void update_job(ShellState& state) {
  const TimeAxis& axis = state.view.axis();
  state.job.update(state.model, axis.begin_ns(), axis.end_ns(), base::now());
  if (state.drawer == DrawerTab::Ranks && !state.job.has_ranks()) state.drawer = DrawerTab::Closed;
}

void update_advice(ShellState& state) {
  const auto now = base::now();
  state.advice.update(state.model, !state.presentation.on, now);
  const auto& active = state.experiment.active;
  state.try_it.update(state.model, state.advice.cards(), active ? active->own_knobs() : std::vector<std::string>(),
                      !state.presentation.on, now);
  state.program_trials.update(state.model, state.advice.cards(), state.code.files);
  state.idle.update(state.model, shows_idle_places(state) && !state.presentation.on, now);
}

}  // namespace

Shell::Shell(Preferences preferences) {
  state_.preferences = std::move(preferences);
  apply_bindings(state_.preferences.bindings);
  state_.view.set_trigger(state_.preferences.trigger);
  if (state_.preferences.code_view) state_.drawer = DrawerTab::Code;
  if (!state_.preferences.tour_done) state_.tour = TourStep::PressFlip;
}

void Shell::draw(const Fonts& fonts) {
  follow_language();
  const Theme& colours = theme(state_.preferences.theme);
  // Readability from the back row depends on a share of the screen, not on pixels. An experiment's lanes fill it.
  const float height = ImGui::GetIO().DisplaySize.y / state_.content_scale;
  const float s = state_.scale();
  constexpr float kPresentedHeight = 540;  // window height at which everything has its normal size
  const float presented = std::clamp(std::floor(height / kPresentedHeight * 10) / 10, 1.2f, 4.0f);
  // Takes effect in the next frame. Divided by the user's text size, so that everything still fits.
  state_.presentation.scale = std::max(1.0f, presented / state_.preferences.font_scale);
  const Canvas canvas{state_, colours, fonts, s, spans_, plots_};
  state_.places.clear();
  state_.in_motion = false;
  state_.model.update();
  state_.settings_history.update(state_.model, ImGui::IsMouseDown(0));
  update_advice(state_);
  update_job(state_);
  state_.job_folder.update();
  update_code(state_);
  record_where_looked(state_, base::now());
  update_comparison(state_);
  follow_marks(state_);
  follow_experiment();
  follow_lesson();
  adapt_speed();
  hurry_measurement();
  state_.view.set_animated(state_.preferences.animation);
  state_.view.set_calm(state_.presentation.on);
  update_colours(state_);
  const std::optional<EventRef> selected = state_.selection.event;
  if (state_.presentation.on && !shows_job_map(state_)) {
    draw_presentation(canvas);
  } else {
    draw_workbench(canvas);
  }
  // A card or a line of code has just selected an event on the timeline, so show the timeline.
  if (state_.selection.event && state_.selection.event != selected) state_.comparison.state.open = false;
  draw_go_to(canvas);
  draw_trigger_panel(canvas);
  draw_colour_legend(canvas);
  draw_picture_panel(canvas);
  draw_opening(canvas);
  draw_overlays(canvas);
  draw_menu(canvas);
  draw_palette(canvas);
  draw_file_dialog(canvas);
  draw_attach_dialog(canvas);
  draw_focus(canvas);
}

void Shell::perform_requests() {
  if (state_.sweep.sweep) state_.sweep.sweep->advance();
  follow_own_files(state_);
  for (const Action action : std::exchange(state_.requests.actions, {})) perform(state_, action);
  const auto guarded = [&](const auto& f) {
    try {
      f();
    } catch (const std::exception& error) {
      state_.show_toast(error.what(), true);
    }
  };
  if (state_.requests.run) {
    const session::SessionOptions options = *std::exchange(state_.requests.run, std::nullopt);
    guarded([&] { start(run_recipe(options)); });
  }
  if (state_.requests.source) {
    const Recipe recipe = *std::exchange(state_.requests.source, std::nullopt);
    guarded([&] { start(recipe); });
  }
  if (state_.requests.attach) {
    const Recipe recipe = *std::exchange(state_.requests.attach, std::nullopt);
    try {
      recipe.check();
      start(recipe);
      state_.tour = TourStep::Off;
      remember_program(state_.preferences, state_.overlays.attach.typed);
      close_overlay(state_);
    } catch (const std::exception& error) {
      state_.overlays.attach.problem = error.what();
      state_.overlays.attach.focus = true;
    }
  }
  if (state_.requests.experiment) {
    const auto [experiment, side] = *std::exchange(state_.requests.experiment, std::nullopt);
    guarded([&] { start_experiment(*experiment, side); });
  }
  if (const lesson::Lesson* lesson = std::exchange(state_.requests.lesson, nullptr)) {
    guarded([&] { begin_lesson(*lesson, {}); });
  }
  if (state_.requests.step) {
    const std::size_t step = *std::exchange(state_.requests.step, std::nullopt);
    if (state_.lesson.on()) guarded([&] { start_step(step); });
  }
  if (state_.requests.side) {
    const experiment::Side side = *std::exchange(state_.requests.side, std::nullopt);
    guarded([&] { show_side(side); });
  }
  guarded([&] { follow_files(state_); });
  if (!state_.requests.files.empty()) {
    const std::vector<std::filesystem::path> files = std::exchange(state_.requests.files, {});
    guarded([&] { begin_opening(files); });
  }
  if (std::exchange(state_.requests.job_map, false) && state_.job_folder.on()) {
    state_.opening.cancel();
    show_job_map();
  }
  guarded([&] { show_opened(); });
  guarded([&] {
    if (!state_.pictures.saving.ready()) return;
    const std::filesystem::path trace = std::exchange(state_.pictures.saved_trace, {});
    if (const auto saved = state_.pictures.saving.take()) state_.show_toast(*saved);
    if (!trace.empty()) remember_file(state_.preferences, trace);
  });
  work_on_pictures(state_);
}

void Shell::begin_opening(const std::vector<std::filesystem::path>& files) {
  const bool as_lanes = std::exchange(state_.requests.as_lanes, false);
  if (!as_lanes && opens_as_job(files)) {
    state_.opening.cancel();
    show_job_map();
    state_.job_map = {};
    state_.job_folder.open(files);
    remember_file(state_.preferences, files.front());
    return;
  }
  if (const auto recorded = recorded_name(files)) {
    state_.opening.open(capture_named(state_.device_menu.recorded, *recorded));
  } else {
    state_.opening.open(files);
  }
}

void Shell::show_job_map() {
  begin_anew();
  leave_view();
  state_.model.show_nothing();
  state_.tour = TourStep::Off;
}

void Shell::show_opened() {
  std::optional<ReadFile> file;
  try {
    file = state_.opening.take();
  } catch (const std::exception& error) {
    if (!state_.model.nothing() || state_.job_folder.on()) throw;
    state_.opening.fail(error.what());  // stays visible: nothing else is shown
  }
  if (!file) return;
  // From a rank's recording there is a way back to the map.
  const std::optional<std::filesystem::path> path = file->source->file();
  if (!path || !state_.job_folder.has({*path})) state_.job_folder.close();
  begin_anew();
  leave_view();
  state_.model.show(std::move(*file));
  if (path) remember_file(state_.preferences, *path);
  state_.tour = TourStep::Off;
}

void Shell::begin_with_files(const std::vector<std::filesystem::path>& files) {
  state_.model.show_nothing();
  state_.tour = TourStep::Off;
  begin_opening(files);
}

void Shell::begin_with_source(std::unique_ptr<Source> source) {
  state_.tour = TourStep::Off;
  state_.model.show(std::move(source));
}

void Shell::save_screenshot(const io::Image& image) {
  state_.requests.screenshot = false;
  write_beside(state_.pictures, free_picture_name(state_, "window", ".png"), {image, {}, window_text(state_)});
}

// --- experiments: started, flipped and followed
// -----------------------------------------------------------------------

// Something else is shown. What still reads the old trace keeps it: a file that is being written is written to its end.
void Shell::begin_anew() {
  state_.selection.clear();
  end_finding(state_);
  state_.advice = {};
  state_.job.end();
  state_.comparison.state.forget_request();
  state_.code.end();
  state_.try_it.end();
  state_.program_trials.end();
  state_.scope.drop_average();
  state_.scope.worst.leave();
  state_.timeline.clear();
  state_.scroll = {};
}

void Shell::start(const Recipe& recipe) {
  state_.opening.cancel();  // the latest request wins
  state_.job_folder.close();
  begin_anew();
  state_.model.start(recipe);
}

void Shell::start_experiment(std::string_view id_or_name, Side side) {
  start_experiment(experiment::experiment_named(id_or_name), side);
}

void Shell::start_experiment(const Experiment& experiment, Side side) {
  session::SessionOptions options = state_.model.options_now();
  options.workload = experiment.workload;
  options.device = experiment::chosen_device(experiment, side, state_.experiment.real_gpu);
  options.assignments = experiment.assignments(side);
  options.iterations = 0;
  options.speed = kExperimentSpeed;
  start(run_recipe(options));
  state_.experiment.active.emplace(experiment, side);
  begin_view();
  state_.experiment.generation = 0;
  state_.experiment.shows_open = state_.experiment.correction_open = false;
  state_.experiment.auto_speed = {true, kExperimentSpeed, 0, base::now()};
}

void Shell::begin_with(const Experiment& experiment, session::SessionOptions session) {
  if (session.device == device::kAutoDevice) {
    const device::DeviceInfo present = device::describe_device(session.device);
    if (present.simulated) session.device = experiment.device_of(Side::Before);
  }
  session.workload = experiment.workload;
  session.assignments = experiment.assignments(Side::Before);
  start(run_recipe(session));
  state_.experiment.active.emplace(experiment, Side::Before);
  begin_view();
  // A speed of the user's own stays.
  const bool usual = session.speed == kExperimentSpeed;
  state_.experiment.auto_speed = {usual, session.speed, 0, base::now()};
}

void Shell::show_side(Side side) {
  if (!state_.experiment.active || !state_.model.steering()) return;
  const Experiment& experiment = state_.experiment.active->experiment();
  if (flips_in_place(experiment) && state_.model.running()) {
    const workload::Settings standard = workload::default_settings(experiment.workload, state_.model.source().device());
    std::vector<std::string> assignments;
    for (const auto& [key, value] : side_settings(experiment, side, standard))
      assignments.push_back(key + "=" + workload::to_text(value));
    if (const std::string refused = state_.model.assign(assignments); !refused.empty()) {
      state_.show_toast(refused, true);
      return;
    }
    state_.experiment.active->set_side(side);
    return;
  }
  session::SessionOptions options = state_.model.options_now();
  if (!flips_in_place(experiment))
    options.device = experiment::chosen_device(experiment, side, state_.experiment.real_gpu);
  options.assignments = experiment.assignments(side);
  const Side before = state_.experiment.active->side();
  state_.experiment.active->set_side(side);
  try {
    start(run_recipe(options));
  } catch (...) {
    state_.experiment.active->set_side(before);
    throw;
  }
}

// An experiment's view holds, whatever was done to the one before.
void Shell::begin_view() {
  state_.experiment.viewed.reset();
  show_view();
  state_.view.go_to_goal();
}

void Shell::leave_view() {
  state_.experiment.viewed.reset();
  state_.view.set_goal(std::nullopt);
  state_.lanes.fold_at_first({});
  state_.plots.view.choice.set_default({});
}

void Shell::show_view() {
  const ActiveExperiment& active = *state_.experiment.active;
  if (state_.experiment.viewed == active.side()) return;
  state_.experiment.viewed = active.side();
  const experiment::View& view = active.experiment().side(active.side()).view;
  state_.view.set_goal(view_goal(view));
  state_.lanes.fold_at_first(view.folded);
  state_.plots.view.choice.set_default(view.plots);
}

// The current side is derived from the settings, however they were changed; its figures are kept for comparison.
void Shell::follow_experiment() {
  const Model& model = state_.model;
  const Steering* steering = model.steering();
  if (!steering) return;
  const device::DeviceInfo device = model.source().device();
  if (!model.simulated() && device.kind == device::DeviceKind::Gpu) {
    state_.experiment.real_gpu = device.id;
  } else if (model.simulated()) {
    state_.experiment.real_gpu.clear();
  }
  if (!state_.experiment.active) {
    if (state_.view.has_goal()) leave_view();
    return;
  }
  ActiveExperiment& active = *state_.experiment.active;
  if (steering->workload().name != active.experiment().workload) {  // the user chose another workload
    state_.experiment.active.reset();
    return leave_view();
  }
  if (state_.experiment.generation != model.generation()) {
    state_.experiment.generation = model.generation();
    state_.experiment.summary = model.recent_number();
    active.begin_run(workload::default_settings(active.experiment().workload, device), device.id);
  }
  const workload::Settings settings = steering->settings();
  if (const auto side = active.side_of(settings)) active.set_side(*side);
  show_view();
  if (state_.experiment.summary == model.recent_number() || !model.recent_is_current()) return;
  state_.experiment.summary = model.recent_number();
  if (!model.recent().pace.known()) return;
  active.keep(settings, {model.recent(), steering->figures(), workload::batch_size_of(settings)});
}

void Shell::adapt_speed() {
  AutoSpeed& automatic = state_.experiment.auto_speed;
  if (!automatic.on || !state_.model.virtual_time()) return;
  if (state_.model.speed() != automatic.set) {
    automatic.on = false;
    return;
  }
  const auto now = base::now();
  const std::size_t iterations = state_.model.analysis().records().size();
  // A run at rest draws no frames: the time since the last one counts only if the run went on then and now.
  const bool held = state_.model.paused() || state_.overlays.open;
  if (iterations != automatic.iterations || held || automatic.held) {
    automatic.iterations = iterations;
    automatic.since = now;
  }
  automatic.held = held;
  if (now - automatic.since < kNothingHappens || automatic.set >= 1) return;
  automatic.set = std::min(1.0, automatic.set * 10);
  automatic.since = now;
  state_.model.set_speed(automatic.set);
}

// Renews the stored texts in the chosen language; a message that is on the screen is dropped.
void Shell::follow_language() {
  if (base::language() == state_.language()) return;
  base::set_language(state_.language());
  state_.toast.reset();
  state_.model.say_again();
  if (auto& answer = state_.range_figures.job.answer) judge(answer->summary);
  state_.advice.say_again();
  state_.try_it.say_again();
  state_.sweep.texts_of = std::numeric_limits<std::size_t>::max();
  state_.timeline.clear();
  look_again(state_);  // errors are kept as they were said
  state_.overlays.gallery.list = gallery_list(state_.overlays.gallery.filter, state_.language());
  if (state_.overlays.open == Overlay::Palette) fill_palette(state_);
  if (!state_.device_menu.devices.empty()) state_.device_menu.devices = device::catalogue();
}

// --- what is still moving --------------------------------------------------------------------------------------------

bool Shell::animating() const { return moving() || state_.opening.running() || state_.job_folder.reading(); }

bool Shell::moving() const {
  const bool run_moves = state_.model.running() && !state_.model.paused();
  const bool clock = state_.presentation.on && state_.lesson.on();
  return run_moves || clock || !state_.model.open_calls().empty() || state_.in_motion || state_.view.moving() ||
         state_.toast || (state_.sweep.sweep && (state_.sweep.sweep->running() || state_.sweep.paused_the_run)) ||
         state_.comparison.state.busy() || state_.comparison.other.busy() || state_.pictures.saving.busy() ||
         state_.pictures.busy(state_.overlays.open == Overlay::Picture) || state_.scope.pending.busy() ||
         state_.advice.busy() || state_.code.busy() || state_.try_it.busy() || state_.program_trials.busy();
}

}  // namespace lanescope::ui
