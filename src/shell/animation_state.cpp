#include "shell/animation_state.h"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "base/error.h"
#include "base/translate.h"
#include "experiment/measured_run.h"
#include "io/atomic_file.h"
#include "shell/shell_state.h"
#include "shell/write_pictures.h"

namespace lanescope::ui {
namespace {

using base::tr;
using experiment::Side;

constexpr std::uint64_t kIterations = 1000;  // as `lanescope run` makes without being told
constexpr std::size_t kMemoryBytes = std::size_t{512} << 20;

std::vector<std::string> assignments_of(const workload::Settings& settings, const workload::Settings& other) {
  std::vector<std::string> assignments;
  for (const workload::SettingSpec& spec : settings.specs()) {
    if (settings.value(spec.key) == other.value(spec.key)) continue;
    assignments.push_back(spec.key + "=" + workload::to_text(settings.value(spec.key)));
  }
  return assignments;
}

void add(std::vector<std::string>& assignments, const std::vector<std::string>& more) {
  assignments.insert(assignments.end(), more.begin(), more.end());
}

session::SessionOptions headless(session::SessionOptions options, std::uint64_t iterations) {
  options.iterations = iterations;
  options.paced = false;
  options.memory_cap_bytes = kMemoryBytes;
  return options;
}

// With the knobs beside the experiment's as they are now.
void plan_sides(const ShellState& state, const ActiveExperiment& active, AnimationPlan& plan) {
  const experiment::Experiment& experiment = active.experiment();
  const base::Language language = state.language();
  plan.animation.title = experiment.id + " " + experiment.title[language];
  for (const Side side : {Side::Before, Side::After}) {
    const auto s = static_cast<std::size_t>(side);
    const session::SessionOptions own = side_options(experiment, side, {});
    session::SessionOptions options = own;
    if (flips_in_place(experiment)) {
      options = state.model.options_now();
      const workload::Settings standard = workload::default_settings(options.workload, state.model.source().device());
      for (const auto& [key, value] : side_settings(experiment, side, standard)) {
        options.assignments.push_back(key + "=" + workload::to_text(value));
      }
    }
    plan.options[s] = headless(options, own.iterations);
    plan.animation.labels[s] = experiment.side(side).label[language];
  }
}

SharedSnapshot measured(const session::SessionOptions& options, const std::string& title, const base::Stop& stop) {
  experiment::MeasuredRun run(options, analysis::LiveAnalysis::Detail::Timeline);
  run.run({}, [&] { return stop.load(); });
  std::optional<SnapshotPlan> plan = plan_ended(run.trace(), run.analysis(), run.figures().summary);
  if (!plan) throw base::FileError(tr("no animation: a run of {} has recorded nothing", options.workload));
  plan->facts = run.facts();
  plan->title = title;
  return take_snapshot(std::move(*plan));
}

void write(ShellState& state, AnimationFilm& film) {
  const std::filesystem::path path = free_picture_name(state, "animation", ".gif");
  state.pictures.writing.push_back({path, {}});
  state.pictures.writing.back().done.start([path, bytes = film.take_bytes(), note = film.note()] {
    io::write_text_file(path, bytes);
    const std::string size = base::format_bytes(static_cast<std::int64_t>(bytes.size()));
    return tr("Animation saved ({}): {}", size, path.string()) + (note.empty() ? "" : "; " + note);
  });
}

}  // namespace

void AnimationState::end() {
  runs.end();
  encoding.end();
  film.reset();
}

AnimationPlan plan_animation(const ShellState& state) {
  const Model& model = state.model;
  AnimationPlan plan;
  plan.animation.theme = state.preferences.theme;
  plan.animation.title = tr(model.title());
  if (const Steering* steering = model.steering(); steering && model.simulated()) {
    const workload::Settings now = steering->settings();
    const auto& active = state.experiment.active;
    if (active && active->side_of(now)) {
      plan_sides(state, *active, plan);
      return plan;
    }
    if (const SettingsHistory::Turn* turn = state.settings_history.last_turn()) {
      const session::SessionOptions options = model.options_now();
      plan.options = {headless(options, kIterations), headless(options, kIterations)};
      add(plan.options[0].assignments, assignments_of(turn->before, turn->after));
      add(plan.options[1].assignments, assignments_of(turn->after, turn->before));
      return plan;
    }
  }
  const CompareState& compare = state.comparison.state;
  if (compare.a() && compare.b()) {
    plan.animation.before = compare.a();
    plan.animation.after = compare.b();
    plan.animation.title = tr(compare.a()->title);
    if (compare.a()->title != compare.b()->title) plan.animation.title += "  |  " + std::string(tr(compare.b()->title));
    plan.animation.labels = {compare.a()->label, compare.b()->label};
    plan.run = false;
    return plan;
  }
  throw base::UsageError(
      model.steering() && model.simulated()
          ? tr("no knob has been turned yet: turn one, and the animation shows what it changes")
          : tr("only simulated runs are made again for an animation: pin this run as A and change something, and it "
               "shows A and B"));
}

void make_animation(ShellState& state) {
  AnimationPlan plan = plan_animation(state);
  AnimationState& making = state.pictures.animation;
  making.animation = std::move(plan.animation);
  if (plan.run) {
    const std::string title = state.model.title();
    making.runs.start([options = plan.options, title](const base::Stop& stop) {
      return std::array{measured(options[0], title, stop), measured(options[1], title, stop)};
    });
  } else {
    making.film = std::make_unique<AnimationFilm>(making.animation);
  }
  state.show_toast(tr("The animation is being made"));
}

std::string no_animation(const ShellState& state) {
  if (state.pictures.animation.busy()) return tr("an animation is being made");
  try {
    plan_animation(state);
    return {};
  } catch (const base::Error& error) {
    return error.what();
  }
}

void work_on_animation(ShellState& state) {
  AnimationState& making = state.pictures.animation;
  try {
    if (making.runs.ready()) {
      const auto runs = making.runs.take();
      if (!runs) return;
      making.animation.before = (*runs)[0];
      making.animation.after = (*runs)[1];
      making.film = std::make_unique<AnimationFilm>(making.animation);
      return;
    }
    if (!making.film || (making.encoding.busy() && !making.encoding.ready())) return;
    if (making.encoding.ready()) making.encoding.take();
    if (!making.film->draw()) {
      write(state, *making.film);
      making.film.reset();
      return;
    }
    making.encoding.start([film = making.film.get()] {
      film->encode();
      return true;
    });
  } catch (...) {
    making.end();
    throw;
  }
}

}  // namespace lanescope::ui
