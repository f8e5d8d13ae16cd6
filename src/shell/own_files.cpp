#include "shell/own_files.h"

#include <algorithm>
#include <utility>

#include "base/time.h"
#include "base/translate.h"
#include "experiment/own_experiments.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr std::chrono::milliseconds kFilesBetween{900};  // a window at rest wakes twice a second

// The lists of the gallery; what is selected there stays selected.
void renew_gallery(ShellState& state) {
  GalleryState& gallery = state.overlays.gallery;
  const experiment::Experiment* selected = gallery.list.at(gallery.selected);
  gallery.list = gallery_list(gallery.filter, state.language());
  if (selected) gallery.selected = gallery.list.place_of(&newest_version(*selected)).value_or(0);
}

// Restarted with what its file says now: texts, view, settings and published numbers.
void renew_experiment(ShellState& state) {
  const auto& active = state.experiment.active;
  if (!active || !state.model.steering()) return;
  const experiment::Experiment& newest = newest_version(active->experiment());
  if (&newest == &active->experiment()) return;
  if (on_stage(state)) {
    state.requests.step = state.lesson.number();
  } else {
    state.requests.experiment = {&newest, active->side()};
  }
  state.show_toast(base::tr("{} has changed, and runs anew", file_of(newest).filename().string()));
}

void say_errors(ShellState& state, std::vector<std::string> errors) {
  const std::vector<std::string> before = std::exchange(state.own_files.errors, std::move(errors));
  const auto is_in = [](const std::vector<std::string>& list) {
    return [&list](const std::string& error) { return std::ranges::find(list, error) != list.end(); };
  };
  const auto& now = state.own_files.errors;
  const bool shows_one = state.toast && is_in(before)(state.toast->text);
  if (shows_one && !is_in(now)(state.toast->text)) state.toast.reset();
  const auto fresh = std::ranges::find_if_not(now, is_in(before));
  if (fresh != now.end()) state.show_toast(*fresh, true);
}

}  // namespace

bool follow_own_files(ShellState& state) {
  OwnFilesState& own = state.own_files;
  const auto now = base::now();
  if (now - own.looked < kFilesBetween) return false;
  own.looked = now;
  own.folders.look();
  const std::uint64_t version = lesson::own_files_version();
  std::vector<std::string> errors = lesson::own_file_errors();
  if (version == own.version && errors == own.errors) return false;
  own.version = version;
  renew_gallery(state);
  renew_experiment(state);
  say_errors(state, std::move(errors));
  return true;
}

void look_again(ShellState& state) {
  state.own_files.looked = {};
  state.own_files.folders = {};
}

}  // namespace lanescope::ui
