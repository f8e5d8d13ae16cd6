// The actions of the window: what opens and closes, looks, sizes.
#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "base/crash_reports.h"
#include "base/platform/child_process.h"
#include "base/platform/page.h"
#include "base/translate.h"
#include "picture/font_files.h"
#include "picture/words.h"
#include "shell/action_rows.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

using base::tr;

void toggle_presentation(ShellState& state) {
  state.presentation.on = !state.presentation.on;
  if (!state.presentation.on) return;
  close_overlay(state);
  state.show_toast(tr("Presentation: {} ends it", key_text(info(Action::Presentation).keys.front())));
}

void toggle_animation(ShellState& state) {
  state.preferences.animation = !state.preferences.animation;
  state.show_toast(state.preferences.animation ? tr("Animation on: views glide, lanes grow")
                                               : tr("Animation off: everything moves at once"));
}

void toggle_language(ShellState& state) {
  using base::Language;
  const bool chinese = state.language() == Language::Chinese;
  state.preferences.language = chinese ? Language::English : Language::Chinese;
}

void open_crash_reports(ShellState& state) {
  state.crash_report.clear();
  const std::filesystem::path folder = base::crash_folder();
  if (!base::open_folder(folder)) {
    state.show_toast(tr("no program here opens folders; the reports are in {}", folder.string()));
  }
}

std::string no_crash_reports(const ShellState&) {
  std::error_code error;
  return std::filesystem::exists(base::crash_folder(), error) ? "" : tr("there are no reports of crashes");
}

// Its hints speak of this experiment.
void begin_tour(ShellState& state) {
  close_overlay(state);
  state.tour = TourStep::PressFlip;
  state.requests.experiment = {&experiment::experiment_named(kTourExperiment), experiment::Side::Before};
}

// The first step says how to go on.
template <int kBy>
void walk(ShellState& state) {
  if (!state.focus.on()) {
    state.show_toast(tr("{} next control, {} the one before, Enter: press, arrows: turn or move, Esc: end",
                        key_text(info(Action::NextControl).keys.front()),
                        key_text(info(Action::PreviousControl).keys.front())));
  }
  state.focus.step(kBy);
}

std::string no_chinese_letters(const ShellState&) { return has_chinese_font() ? "" : no_chinese_text(); }

}  // namespace

std::vector<ActionInfo> window_actions() {
  return {
      {Action::Palette,
       ActionGroup::Window,
       "palette",
       N_("find and run any command by name"),
       {{key::P, kCtrl}, {key::K, kCtrl}},
       [](ShellState& s) { toggle_overlay(s, Overlay::Palette); }},
      {Action::Menu,
       ActionGroup::Window,
       "menu",
       N_("open the menu"),
       {{key::F10}},
       [](ShellState& s) { toggle_overlay(s, Overlay::Menu); }},
      {Action::NextControl,
       ActionGroup::Window,
       "next-control",
       N_("walk through all controls: the next one"),
       {{key::F6}},
       walk<1>},
      {Action::PreviousControl,
       ActionGroup::Window,
       "previous-control",
       N_("walk through all controls: the one before"),
       {{key::F6, kShift}},
       walk<-1>},
  };
}

std::vector<ActionInfo> look_actions() {
  return {
      {Action::Presentation,
       ActionGroup::Window,
       "presentation",
       N_("presentation: large text, lanes and verdict"),
       {{key::F5}},
       toggle_presentation},
      {Action::About,
       ActionGroup::Window,
       "about",
       N_("about the experiment, the program or the trace"),
       {{key::I}},
       [](ShellState& s) { s.about_open = !s.about_open; }},
      {Action::FullScreen,
       ActionGroup::Window,
       "full-screen",
       N_("full screen"),
       {{key::F11}},
       [](ShellState& s) { s.full_screen = !s.full_screen; }},
      {Action::ToggleTheme,
       ActionGroup::Window,
       "theme",
       N_("theme: dark, light or high contrast"),
       {},
       [](ShellState& s) { s.preferences.theme = next_theme(s.preferences.theme); }},
      {Action::NextColouring,
       ActionGroup::Window,
       "colour-by",
       N_("colour by kind, name, duration, stream or thread"),
       {},
       [](ShellState& s) { colour_by(s, next_colour_by(colouring_of(s))); }},
      {Action::ColourLegend,
       ActionGroup::Window,
       "legend",
       N_("legend: what the colours mean"),
       {},
       [](ShellState& s) { s.colours.legend_open = !s.colours.legend_open; }},
      {Action::ToggleAnimation, ActionGroup::Window, "animation", N_("animation on or off"), {}, toggle_animation},
      {Action::ToggleLanguage,
       ActionGroup::Window,
       "language",
       N_("language: English or Chinese"),
       {},
       toggle_language,
       no_chinese_letters},
      {Action::LargerText,
       ActionGroup::Window,
       "larger-text",
       N_("larger text"),
       {{key::Equal, kCtrl}, {key::KeypadAdd, kCtrl}},
       [](ShellState& s) { s.preferences.font_scale = std::min(2.5f, s.preferences.font_scale + 0.1f); }},
      {Action::SmallerText,
       ActionGroup::Window,
       "smaller-text",
       N_("smaller text"),
       {{key::Minus, kCtrl}, {key::KeypadSubtract, kCtrl}},
       [](ShellState& s) { s.preferences.font_scale = std::max(0.7f, s.preferences.font_scale - 0.1f); }},
  };
}

std::vector<ActionInfo> help_actions() {
  return {
      {Action::CaptureHealth,
       ActionGroup::Window,
       "capture-health",
       N_("capture health: what arrived, what was lost"),
       {},
       [](ShellState& s) { toggle_overlay(s, Overlay::Health); }},
      {Action::Help,
       ActionGroup::Window,
       "help",
       N_("this list of keys"),
       {{key::Slash, kShift}, {key::F1}},
       [](ShellState& s) { toggle_overlay(s, Overlay::Help); }},
      {Action::FirstMinute,
       ActionGroup::Window,
       "first-minute",
       N_("the first minute: show the hints again"),
       {},
       begin_tour},
      {Action::OpenCrashReports,
       ActionGroup::Window,
       "crash-reports",
       N_("open the folder with reports of crashes"),
       {},
       open_crash_reports,
       no_crash_reports},
      {Action::Quit,
       ActionGroup::Window,
       "quit",
       N_("quit"),
       {{key::Q, kCtrl}},
       [](ShellState& s) { s.requests.quit = true; },
       [](const ShellState&) { return std::string(base::kInPage ? base::tr("close the page instead") : ""); }},
  };
}

}  // namespace lanescope::ui
