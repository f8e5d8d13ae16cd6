#include <imgui.h>

#include <algorithm>
#include <utility>

#include "attach/program_state.h"
#include "base/translate.h"
#include "device/catalogue.h"
#include "model/source/device_menu.h"
#include "picture/words.h"
#include "render/labels.h"
#include "window/panels/overlays/overlays_panels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr const char* kDevicePopup = "##devices";

void choose_device(ShellState& state, const DeviceChoice& choice) {
  if (choice.pick.starts_with(kRecordedPrefix)) {
    state.requests.files = {std::filesystem::path(choice.pick)};
    return;
  }
  state.requests.run = state.model.options_now();
  state.requests.run->device = choice.pick;
}

// Two lines: the name with its id at the right edge, and a summary below.
bool draw_device_choice(const Canvas& c, const DeviceChoice& choice, float width) {
  const float s = c.scale;
  const float height = (choice.summary.empty() ? 30 : 46) * s;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool clicked = press_area(c, choice.pick.c_str(), {width, height});
  note_control(c, "device." + choice.pick);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered || choice.current) {
    list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised],
                       5 * s);
  }
  if (choice.current) {
    list.AddRectFilled({at.x, at.y + 5 * s}, {at.x + 3 * s, at.y + height - 5 * s}, c.theme[Colour::Accent], 1.5f * s);
  }
  const float left = at.x + 14 * s;
  const float inner = width - 26 * s;
  const float id_width = choice.id.empty() ? 0 : text_width(c.fonts, FontRole::MonoSmall, choice.id) + 12 * s;
  const float name_height = choice.summary.empty() ? height : 22 * s;
  const Label labels[] = {
      {left, at.y + (choice.summary.empty() ? 0 : 3 * s), inner - id_width, c.theme[Colour::Text],
       choice.current ? FontRole::BodyBold : FontRole::Body, choice.name, name_height},
      {left, at.y + (choice.summary.empty() ? 0 : 3 * s), inner, c.theme[Colour::Dim], FontRole::MonoSmall, choice.id,
       name_height, LabelAlign::Right},
      {left, at.y + 24 * s, inner, c.theme[Colour::Muted], FontRole::Small, choice.summary, 17 * s}};
  draw_labels(list, c.fonts, labels);
  const bool cut = text_width(c.fonts, FontRole::Small, choice.summary) > inner;
  if (hovered && cut) ImGui::SetTooltip("%s", choice.summary.c_str());
  return clicked;
}

void draw_device_menu(const Canvas& c, const ImVec2& below_right) {
  ShellState& state = c.state;
  const float s = c.scale;
  const float width = std::min(600 * s, ImGui::GetIO().DisplaySize.x - 40 * s);
  const auto sections = device_sections(state.device_menu.devices, device::why_no_gpu(), state.device_menu.recorded,
                                        state.model.source().device());
  ImGui::SetNextWindowPos(below_right, ImGuiCond_Always, {1, 0});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, ImGui::GetIO().DisplaySize.y - below_right.y - 20 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {10 * s, 4 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {8 * s, 3 * s});
  state.device_menu.open = ImGui::BeginPopup(kDevicePopup);
  if (state.device_menu.open) {
    if (std::exchange(state.device_menu.toggle, false)) ImGui::CloseCurrentPopup();
    for (const DeviceSection& section : sections) {
      ImGui::Indent(14 * s);
      heading(c, section.title.c_str());
      ImGui::Unindent(14 * s);
      for (const DeviceChoice& choice : section.choices) {
        if (!draw_device_choice(c, choice, width)) continue;
        if (!choice.current) choose_device(state, choice);
        ImGui::CloseCurrentPopup();
      }
      if (section.note.empty()) continue;
      ImGui::Dummy({width, 0});
      ImGui::Indent(14 * s);
      ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - 28 * s);
      {
        const TextStyle style(c, FontRole::Small, Colour::Muted);
        ImGui::TextUnformatted(section.note.c_str());
      }
      ImGui::PopTextWrapPos();
      ImGui::Unindent(14 * s);
    }
    const ActionInfo& program = info(Action::AttachProgram);
    ImGui::Indent(14 * s);
    heading(c, tr("YOUR PROGRAM"));
    ImGui::Unindent(14 * s);
    if (draw_device_choice(c, {"attach", tr(program.text), keys_text(program), attach::why_not(), false}, width)) {
      state.requests.actions.push_back(Action::AttachProgram);
      ImGui::CloseCurrentPopup();
    }
    vertical_space(c, 10);
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
}

}  // namespace

// The most important label: whether the data is from a real GPU. Returns the left edge of the space kept for it.
float draw_badge(const Canvas& c, float right, float y) {
  ShellState& state = c.state;
  const float s = c.scale;
  const bool simulated = state.model.simulated();
  const trace::RunFacts facts = state.model.facts();
  std::string says = badge_text(facts, state.model.live());
  if (device::assumes_pytorch(facts.device)) says += std::string(" · ") + tr("PyTorch's costs assumed");
  const std::string all_of_it = says;
  const float arrow = 22 * s;
  const float height = 26 * s;
  const float all = ImGui::GetIO().DisplaySize.x;
  // The buttons next to the badge keep their space in a narrow window.
  const float beside = std::clamp(all - 540 * s, 124 * s, 240 * s);
  const bool alone = state.presentation.on || is_upright(s);
  const float most = alone ? all * 0.45f : std::max(beside, all * 0.27f);
  const auto wanted = [&] { return text_width(c.fonts, FontRole::BodyBold, says) + 24 * s + arrow; };
  // What kind it is matters more than which one, and that more than what it assumes.
  while (wanted() > most && says.find(" · ") != std::string::npos) says.resize(says.rfind(" · "));
  const float width = std::min(wanted(), most);
  const ImVec2 low{right - width, y};
  ImGui::SetCursorScreenPos(low);
  const bool clicked = press_area(c, "##badge", {width, height});
  note_control(c, "badge");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && says != all_of_it && !state.device_menu.open) ImGui::SetTooltip("%s", all_of_it.c_str());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const std::uint32_t ink = c.theme.as_text(simulated ? Colour::Simulated : Colour::Text);
  list.AddRectFilled(low, {right, y + height}, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised], 5 * s);
  list.AddRect(low, {right, y + height}, c.theme[simulated ? Colour::Simulated : Colour::Kernel], 5 * s, 0, 1.5f * s);
  const Label label{low.x + 12 * s, y, width - 20 * s - arrow, ink, FontRole::BodyBold, says, height};
  draw_labels(list, c.fonts, {&label, 1});
  const ImVec2 middle{right - 17 * s, y + height / 2 + s};
  list.AddTriangleFilled({middle.x - 5 * s, middle.y - 3 * s}, {middle.x + 5 * s, middle.y - 3 * s},
                         {middle.x, middle.y + 3 * s}, ink);
  if (clicked || (state.device_menu.toggle && !state.device_menu.open)) {
    state.device_menu.toggle = false;
    state.device_menu.devices = device::catalogue();
    ImGui::OpenPopup(kDevicePopup);
  }
  draw_device_menu(c, {right, y + height + 6 * s});
  // What stands to its left keeps its place when a flip brings a device with a shorter name.
  float& widest = state.device_menu.widest_badge;
  widest = std::min(std::max(widest, width / s), most / s);
  return right - widest * s;
}

}  // namespace lanescope::ui
