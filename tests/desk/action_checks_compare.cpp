// A and B: pinning, the view of both, and what goes out of it.
#include <imgui.h>

#include "desk/action_checks.h"

namespace lanescope::ui_test {

using ui::Action;

namespace {

void pin(Desk& desk) {
  desk.state().comparison.state.pin();
  desk.until([&] { return desk.state().comparison.state.pinned(); });
}

void pin_and_turn(Desk& desk) {
  for (const auto& path : desk.saved()) std::filesystem::remove(path);
  desk.state().preferences.picture_folder = desk.pictures().string();
  pin(desk);
  desk.state().model.set("log_interval", std::int64_t{2});
  desk.until([&] { return desk.state().comparison.state.b() != nullptr; });
  ImGui::SetClipboardText("");
}

bool a_picture_is_there(Desk& desk) {
  for (const auto& path : desk.saved()) {
    if (path.filename().string().starts_with("lanescope-comparison")) return true;
  }
  return false;
}

}  // namespace

std::vector<ActionCheck> compare_checks() {
  return {
      {Action::PinA, {}, [](Desk& desk) { return desk.state().comparison.state.pinned(); }},
      {Action::UnpinA, pin, [](Desk& desk) { return !desk.state().comparison.state.pinned(); }},
      {Action::CompareView, pin, [](Desk& desk) { return desk.has_place("compare.a"); }},
      {Action::CompareAlign, pin,
       [](Desk& desk) { return desk.state().comparison.state.align == ui::CompareAlign::Time; }},
      {Action::RenewB, pin, [](Desk& desk) { return desk.state().comparison.state.b() != nullptr; }},
      {Action::ComparisonPicture, pin_and_turn, a_picture_is_there},
      {Action::CopyComparison, pin_and_turn,
       [](Desk&) { return std::string(ImGui::GetClipboardText()).find("| per iteration |") != std::string::npos; }},
  };
}

}  // namespace lanescope::ui_test
