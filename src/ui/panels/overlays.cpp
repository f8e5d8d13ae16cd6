#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr ImGuiWindowFlags kBare = ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove |
                                   ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_AlwaysAutoResize |
                                   ImGuiWindowFlags_NoNav;

void draw_help(const Canvas& c) {
  ShellState& state = c.state;
  begin_overlay(c, "##help");
  text(c, FontRole::Title, Colour::Text, tr("Keys and gestures"));
  const float column_width = 440 * c.scale;
  const auto line = [&](const std::string& keys, const std::string& says) {
    const float start = ImGui::GetCursorPosX();
    text(c, FontRole::MonoSmall, Colour::Accent, keys);
    ImGui::SameLine();
    ImGui::SetCursorPosX(start + 120 * c.scale);
    text(c, FontRole::Small, Colour::Text, says);
  };
  const auto group = [&](ActionGroup wanted) {
    heading(c, group_title(wanted));
    for (const ActionInfo& a : actions()) {
      if (a.group == wanted) line(keys_text(a), tr(a.text));
    }
  };
  ImGui::BeginGroup();
  group(ActionGroup::Run);
  group(ActionGroup::Out);
  group(ActionGroup::Window);
  ImGui::Dummy({column_width, 0});
  ImGui::EndGroup();
  ImGui::SameLine(0, 24 * c.scale);
  ImGui::BeginGroup();
  group(ActionGroup::View);
  heading(c, tr("THE MOUSE"));
  for (const Gesture& g : gestures()) {
    text(c, FontRole::SmallBold, Colour::Accent, tr(g.gesture));
    text(c, FontRole::Small, Colour::Text, tr(g.text));
  }
  ImGui::Dummy({column_width, 0});
  ImGui::EndGroup();
  vertical_space(c, 10);
  if (button(c, "close_help", std::string(tr("Close")) + " (Esc)")) state.help_open = false;
  end_overlay();
}

struct Hint {
  const char* place;
  const char* title;
  const char* says;
};

Hint hint_of(TourStep step) {
  switch (step) {
    case TourStep::TurnThis:
      return {"knob.log_interval", tr("1 of 3 · Turn this"),
              tr("Drag the log interval from 1 to 100: the loop then reads the loss only every 100th time.")};
    case TourStep::WatchThat:
      return {
          "lane.kernels", tr("2 of 3 · Watch that"),
          tr("The idle stretches between the kernels go, the waits above them too, and iterations per second climb.")};
    default:
      return {"status", tr("3 of 3 · Press S"), tr("A picture of the window is written, and its path is shown here.")};
  }
}

void end_tour(ShellState& state) {
  state.tour = TourStep::Off;
  state.preferences.tour_done = true;
}

// The first start points at three things, one after the other, and never again.
void draw_tour(const Canvas& c) {
  ShellState& state = c.state;
  if (state.tour == TourStep::Off || state.gallery.open) return;
  const Hint hint = hint_of(state.tour);
  const auto found = state.places.find(hint.place);
  if (found == state.places.end()) return;
  const Rect& r = found->second;
  const float s = c.scale;
  ImDrawList& front = *ImGui::GetForegroundDrawList();
  const float pad = 6 * s;
  front.AddRect({r.x - pad, r.y - pad}, {r.x + r.width + pad, r.y + r.height + pad}, c.theme[Colour::Simulated], 6 * s,
                0, 2.5f * s);
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const float width = 330 * s;
  const bool above = r.y > display.y * 0.6f;
  const float x = std::clamp(r.x + (state.tour == TourStep::TurnThis ? r.width + 20 * s : r.width / 2 - width / 2),
                             12 * s, display.x - width - 12 * s);
  ImGui::SetNextWindowPos(
      {x, above ? r.y - 16 * s : r.y + (state.tour == TourStep::TurnThis ? -8 * s : r.height + 16 * s)},
      ImGuiCond_Always, {0, above ? 1.0f : 0.0f});
  ImGui::SetNextWindowSize({width, 0});
  ImGui::PushStyleColor(ImGuiCol_Border, c.theme[Colour::Simulated]);
  ImGui::PushStyleColor(ImGuiCol_WindowBg, c.theme[Colour::PanelRaised]);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 2 * s);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {16 * s, 14 * s});
  ImGui::Begin("##tour", nullptr, kBare & ~ImGuiWindowFlags_AlwaysAutoResize);
  text(c, FontRole::BodyBold, Colour::Text, hint.title);
  wrapped_text(c, FontRole::Body, Colour::Muted, hint.says);
  vertical_space(c, 6);
  const bool last = state.tour == TourStep::PressS;
  if (button(c, "tour.next", last ? tr("Done") : tr("Next"), true)) {
    if (last) {
      end_tour(state);
    } else {
      state.tour = static_cast<TourStep>(static_cast<int>(state.tour) + 1);
    }
  }
  if (!last) {
    ImGui::SameLine();
    if (button(c, "tour.skip", tr("Skip"))) end_tour(state);
  }
  ImGui::End();
  ImGui::PopStyleVar(2);
  ImGui::PopStyleColor(2);
}

void draw_toast(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.toast) return;
  if (std::chrono::steady_clock::now() > state.toast->until) {
    state.toast.reset();
    return;
  }
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  const std::string& says = state.toast->text;
  const float width = std::min(text_width(c.fonts, FontRole::Body, says) + 32 * s, display.x - 40 * s);
  const float height = 36 * s;
  const ImVec2 at{(display.x - width) / 2, display.y - 80 * s};
  ImDrawList& front = *ImGui::GetForegroundDrawList();
  front.AddRectFilled({at.x, at.y + 3 * s}, {at.x + width, at.y + height + 3 * s}, c.theme[Colour::Shadow], 8 * s);
  front.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[Colour::PanelRaised], 8 * s);
  front.AddRect(at, {at.x + width, at.y + height}, c.theme[state.toast->error ? Colour::Wait : Colour::Accent], 8 * s,
                0, 1.5f * s);
  const Label label{at.x + 16 * s, at.y, width - 30 * s, c.theme[Colour::Text], FontRole::Body, says, height};
  draw_labels(front, c.fonts, {&label, 1});
}

}  // namespace

void begin_overlay(const Canvas& c, const char* id) {
  const ImVec2 display = ImGui::GetIO().DisplaySize;
  ImGui::SetNextWindowPos({display.x / 2, display.y / 2}, ImGuiCond_Always, {0.5f, 0.5f});
  ImGui::SetNextWindowSizeConstraints({0, 0}, {display.x, display.y - 8 * c.scale});
  ImGui::SetNextWindowFocus();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {24 * c.scale, 20 * c.scale});
  ImGui::Begin(id, nullptr, (kBare & ~ImGuiWindowFlags_NoScrollbar) | ImGuiWindowFlags_NoBackground);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const ImVec2 low = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  list.PushClipRectFullScreen();
  list.AddRectFilled({0, 0}, display, with_alpha(c.theme[Colour::Ground], 0.72f));
  list.AddRectFilled(low, {low.x + size.x, low.y + size.y}, c.theme[Colour::Panel], 10 * c.scale);
  list.AddRect(low, {low.x + size.x, low.y + size.y}, c.theme[Colour::Line], 10 * c.scale);
  list.PopClipRect();
}

void end_overlay() { ImGui::End(); }

void draw_overlays(const Canvas& c) {
  draw_sweep(c);
  if (c.state.gallery.open) draw_gallery(c);
  if (c.state.health_open) draw_health(c);
  if (c.state.help_open) draw_help(c);
  draw_tour(c);
  draw_toast(c);
}

}  // namespace lanescope::ui
