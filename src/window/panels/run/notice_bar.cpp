#include <imgui.h>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {

float notice_height(const ShellState& state) { return state.model.notice() ? 52 * state.scale() : 0; }

// A failed run leaves its trace: the notice stays above it until the user reacts.
void draw_notice(const Canvas& c) {
  const auto notice = c.state.model.notice();
  if (!notice) return;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + size.x, at.y + size.y}, c.theme[Colour::PanelRaised]);
  list.AddRectFilled(at, {at.x + 4 * s, at.y + size.y}, c.theme[Colour::Wait]);
  const bool again = c.state.model.can_restart();
  const float button_width = again ? text_width(c.fonts, FontRole::BodyBold, notice->button) + 28 * s : 0;
  const float button_x = at.x + size.x - 16 * s - button_width;
  const float width = button_x - at.x - 36 * s;
  const Label labels[] = {
      {at.x + 18 * s, at.y + 7 * s, width, c.theme.as_text(Colour::Wait), FontRole::BodyBold, notice->title, 19 * s},
      {at.x + 18 * s, at.y + 26 * s, width, c.theme[Colour::Text], FontRole::Body, notice->text, 19 * s}};
  draw_labels(list, c.fonts, labels);
  ImGui::SetCursorScreenPos(at);
  ImGui::InvisibleButton("##notice", {width, size.y});
  note_place(c, "notice");
  if (ImGui::IsItemHovered()) ImGui::SetTooltip("%s", notice->text.c_str());
  if (!again) return;
  ImGui::SetCursorScreenPos({button_x, at.y + (size.y - 26 * s) / 2});
  if (button(c, "notice.again", notice->button, true, button_width))
    c.state.requests.actions.push_back(Action::RestartRun);
}

}  // namespace lanescope::ui
