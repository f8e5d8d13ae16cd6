// The window's actions: what opens and closes, looks, sizes.

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "base/crash_reports.h"
#include "desk/action_checks.h"
#include "picture/font_files.h"

namespace lanescope::ui_test {

using ui::Action;

std::vector<ActionCheck> window_checks() {
  return {
      {Action::Palette, {}, [](Desk& desk) { return desk.has_place("palette.field"); }},
      {Action::Menu, {}, [](Desk& desk) { return desk.has_place("menu.group.0"); }},
      {Action::NextControl, {}, [](Desk& desk) { return desk.has_place("focus"); }},
      {Action::PreviousControl, {}, [](Desk& desk) { return desk.has_place("focus"); }},
      {Action::Presentation, {}, [](Desk& desk) { return desk.has_place("presentation.verdict"); }},
      {Action::FullScreen, {}, [](Desk& desk) { return desk.state().full_screen; }},
      {Action::ToggleTheme, {}, [](Desk& desk) { return desk.state().preferences.theme == ui::ThemeName::Light; }},
      {Action::NextColouring, {}, [](Desk& desk) { return desk.state().colours.colouring.by == ui::ColourBy::Name; }},
      {Action::ColourLegend, {}, [](Desk& desk) { return desk.has_place("legend"); }},
      {Action::ToggleAnimation, {}, [](Desk& desk) { return !desk.state().preferences.animation; }},
      {Action::ToggleLanguage,
       {},
       [](Desk& desk) {
         const ui::ShellState& state = desk.state();
         return state.language() == experiment::Language::Chinese || (state.toast && !ui::has_chinese_font());
       }},
      {Action::LargerText, {}, [](Desk& desk) { return desk.state().preferences.font_scale > 1.05f; }},
      {Action::SmallerText, {}, [](Desk& desk) { return desk.state().preferences.font_scale < 0.95f; }},
      {Action::CaptureHealth, {}, [](Desk& desk) { return desk.has_place("health"); }},
      {Action::Help, {}, [](Desk& desk) { return desk.has_place("close_help"); }},
      {Action::FirstMinute,
       {},
       [](Desk& desk) {
         const bool begun = desk.state().tour == ui::TourStep::PressFlip;
         if (begun) desk.state().tour = ui::TourStep::Off;
         return begun;
       }},
      {Action::OpenCrashReports,
       [](Desk& desk) {
         // A program in the desktop's place, which keeps what it was asked to open.
         const std::filesystem::path program = desk.home() / "xdg-open";
         std::ofstream(program) << "#!/bin/sh\necho \"$1\" >" << (desk.home() / "opened") << "\n";
         std::filesystem::permissions(program, std::filesystem::perms::owner_all);
         std::filesystem::create_directories(base::crash_folder());
         const char* path = std::getenv("PATH");
         setenv("PATH", (desk.home().string() + ":" + (path ? path : "")).c_str(), 1);
         desk.state().crash_report = base::crash_folder() / "crash.txt";
       },
       [](Desk& desk) {
         std::ifstream opened(desk.home() / "opened");
         std::string what;
         std::getline(opened, what);
         return what == base::crash_folder().string() && desk.state().crash_report.empty();
       }},
      {Action::Quit, {}, [](Desk& desk) { return desk.shell().wants_quit(); }},
      {Action::ClearSelection, [](Desk& desk) { desk.state().overlays.open = ui::Overlay::Health; },
       [](Desk& desk) { return desk.state().overlays.open != ui::Overlay::Health; }},
  };
}

}  // namespace lanescope::ui_test
