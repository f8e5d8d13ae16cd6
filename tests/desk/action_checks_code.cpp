// The action of the code view.
#include "desk/action_checks.h"

namespace lanescope::ui_test {

std::vector<ActionCheck> code_checks() {
  using ui::DrawerTab;
  return {
      {ui::Action::CodeView, [](Desk& desk) { desk.state().drawer = DrawerTab::Plots; },
       [](Desk& desk) {
         return desk.state().drawer == DrawerTab::Code && desk.state().preferences.code_view &&
                desk.has_place("code.0");
       }},
      {ui::Action::CopyScript, [](Desk& desk) { desk.state().toast.reset(); },
       [](Desk& desk) { return desk.state().toast && desk.state().toast->text.starts_with("copied as PyTorch: "); }},
      {ui::Action::CopyLink, [](Desk& desk) { desk.state().toast.reset(); },
       [](Desk& desk) {
         return desk.state().toast && desk.state().toast->text.starts_with("copied: lanescope --") &&
                std::string_view(ImGui::GetClipboardText()).starts_with("lanescope --");
       }}};
}

}  // namespace lanescope::ui_test
