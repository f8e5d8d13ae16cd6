#include "shell/copy_link.h"

#include <imgui.h>

#include <filesystem>

#include "attach/program_state.h"
#include "base/platform/page.h"
#include "base/translate.h"
#include "experiment/own_experiments.h"
#include "lesson/own_lessons.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

// What differs from what the experiment's side, or else the workload, sets by itself.
std::vector<std::string> own_settings(const ShellState& state) {
  const Steering& steering = *state.model.steering();
  const workload::Settings now = steering.settings();
  workload::Settings usual = workload::default_settings(steering.workload().name, state.model.source().device());
  if (const auto& active = state.experiment.active) {
    for (const auto& [key, value] : side_settings(active->experiment(), active->side(), usual)) usual.set(key, value);
  }
  std::vector<std::string> set;
  for (const workload::SettingSpec& spec : now.specs()) {
    if (now.value(spec.key) != usual.value(spec.key))
      set.push_back(spec.key + "=" + workload::to_text(now.value(spec.key)));
  }
  return set;
}

// The file of one of the user's own.
std::string named(const std::filesystem::path& file, const std::string& name) {
  return file.empty() ? name : file.string();
}

}  // namespace

std::string no_link(const ShellState& state) {
  if (state.lesson.on()) {
    const bool own = base::kInPage && !lesson::file_of(state.lesson.lesson()).empty();
    return own ? tr("this lesson is only on this machine") : std::string();
  }
  if (!state.model.steering()) return tr("only runs and lessons can be linked to");
  const auto& active = state.experiment.active;
  const bool own = base::kInPage && active && !experiment::file_of(active->experiment()).empty();
  return own ? tr("this experiment is only on this machine") : std::string();
}

experiment::Link link_of(const ShellState& state) {
  experiment::Link link;
  link.lang = base::language() == base::Language::Chinese ? "zh" : "en";
  if (state.lesson.on()) {
    link.lesson = named(lesson::file_of(state.lesson.lesson()), state.lesson.lesson().name);
    return link;
  }
  const session::SessionOptions options = state.model.steering()->options();
  const auto& active = state.experiment.active;
  if (active) {
    link.experiment = named(experiment::file_of(active->experiment()), active->experiment().id);
    if (active->side() == experiment::Side::After) link.side = "after";
  } else {
    link.workload = options.workload;
  }
  const bool usual = active && options.device == active->experiment().device_of(active->side());
  if (options.device.starts_with("sim:") && !options.device.ends_with(".toml") && !usual) link.device = options.device;
  link.set = own_settings(state);
  return link;
}

void copy_link(ShellState& state) {
  const experiment::Link link = link_of(state);
  std::string text;
  if (base::kInPage) {
    text = base::page_address() + "#" + to_fragment(link);
  } else {
    std::vector<std::string> words = to_arguments(link);
    words.insert(words.begin(), "lanescope");
    text = attach::joined_words(words);
  }
  ImGui::SetClipboardText(text.c_str());
  state.show_toast(tr("copied: {}", text));
}

}  // namespace lanescope::ui
