#include "window/panels/details/details_panels.h"

#include <imgui.h>

#include <algorithm>

#include "base/time.h"
#include "base/translate.h"
#include "render/labels.h"
#include "shell/finding.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr int kTitleLines = 3;  // of a long name; its tooltip has all of it
constexpr float kValueLine = 20;

bool just_copied(const Canvas& c, const std::string& line) { return c.state.copied && c.state.copied->line == line; }

void copy(const Canvas& c, const std::string& line, const std::string& value) {
  copy_text(value);
  c.state.copied = CopiedNote{line, base::now() + CopiedNote::kLasts};
}

void tooltip(const Canvas& c, const std::string& value, const char* hint) {
  ImGui::BeginTooltip();
  if (!value.empty()) {
    text(c, FontRole::MonoSmall, Colour::Text, wrapped_lines(c, FontRole::MonoSmall, value, 480 * c.scale));
  }
  text(c, FontRole::Small, Colour::Muted, hint);
  ImGui::EndTooltip();
}

}  // namespace

void fact_line(const Canvas& c, const Fact& fact) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::string id = "fact." + fact.name;
  const bool clicked = press_area(c, id.c_str(), {width, kValueLine * s});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    list.AddRectFilled({at.x - 4 * s, at.y}, {at.x + width + 4 * s, at.y + kValueLine * s},
                       c.theme[Colour::PanelHovered], 4 * s);
  }
  const bool copied = just_copied(c, fact.name);
  const std::string value = copied ? std::string(tr("Copied")) : fact.value;
  // The value matters more, but a name must stay readable.
  const float name_wanted = text_width(c.fonts, FontRole::Body, fact.name);
  const float value_wanted = text_width(c.fonts, FontRole::Mono, value) + 2;
  const float gap = 10 * s;
  const float value_room = std::min(value_wanted, std::max(width * 0.5f, width - name_wanted - gap));
  const float name_room = width - value_room - gap;
  const std::string shown = fit_text(c.fonts, FontRole::Mono, value, value_room);
  const Label labels[] = {
      {at.x, at.y, name_room, c.theme.as_text(Colour::Muted), FontRole::Body, fact.name, kValueLine * s},
      {at.x + width - value_room, at.y, value_room, c.theme.as_text(copied ? Colour::Good : fact.colour),
       FontRole::Mono, shown, kValueLine * s, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  if (hovered && !copied) {
    tooltip(c, shown == value ? std::string() : value, fact.leads_to ? tr("click: go there") : tr("click: copy"));
  }
  if (!clicked) return;
  if (fact.leads_to) {
    const EventRef target = *fact.leads_to;
    select_listed(c.state, target);
  } else {
    copy(c, fact.name, fact.value);
  }
}

void fact_lines(const Canvas& c, const std::vector<Fact>& facts) {
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 1 * c.scale});
  for (const Fact& fact : facts) fact_line(c, fact);
  ImGui::PopStyleVar();
}

void copyable_title(const Canvas& c, const std::string& title, const std::string& short_title, Colour colour) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool copied = just_copied(c, "title");
  wrapped_text(c, FontRole::BodyBold, copied ? Colour::Good : colour,
               copied ? short_title + " · " + tr("copied") : short_title);
  bool cut = false;
  if (title != short_title) {
    const std::string lines = wrapped_lines(c, FontRole::MonoSmall, title, ImGui::GetContentRegionAvail().x);
    std::size_t end = 0;
    for (int line = 0; line < kTitleLines && end != std::string::npos; ++line) end = lines.find('\n', end + 1);
    cut = end != std::string::npos;
    text(c, FontRole::MonoSmall, Colour::Muted, cut ? lines.substr(0, end) + " …" : lines);
  }
  const ImVec2 end = ImGui::GetCursorScreenPos();
  const ImVec2 size{std::max(1.0f, ImGui::GetContentRegionAvail().x), std::max(1.0f, end.y - at.y)};
  ImGui::SetCursorScreenPos(at);
  const bool clicked = press_area(c, "fact.title", size);
  note_control(c, "fact.title");
  if (ImGui::IsItemHovered()) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    tooltip(c, cut ? title : std::string(), copied ? tr("Copied") : tr("click: copy the name"));
  }
  ImGui::SetCursorScreenPos(end);
  if (clicked) copy(c, "title", title);
}

void selection_heading(const Canvas& c) {
  heading(c, tr("SELECTED"));
  // At the right end of the heading's line.
  const ImVec2 below = ImGui::GetCursorScreenPos();
  const float s = c.scale;
  const std::string says = just_copied(c, "all") ? tr("Copied") : tr("copy all");
  const float width = text_width(c.fonts, FontRole::Small, says) + 16 * s;
  const float height = 24 * s;
  const float right = below.x + ImGui::GetContentRegionAvail().x;
  const ImVec2 at{right - width, below.y - height - 6 * s};
  ImGui::SetCursorScreenPos(at);
  const bool clicked = press_area(c, "##copy_all", {width, height});
  note_control(c, "selected.copy_all");
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled(at, {at.x + width, at.y + height}, c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised],
                     5 * s);
  outline(c, {at.x, at.y, width, height}, 5, hovered);
  draw_label(c, {at.x, at.y, width, height}, c.theme[Colour::Text], FontRole::Small, says, LabelAlign::Centre);
  if (hovered) {
    ImGui::SetTooltip("%s (%s)", tr("copy all of it as text"), keys_text(info(Action::CopyDetails)).c_str());
  }
  if (clicked) copy(c, "all", selection_text(c.state));
  ImGui::SetCursorScreenPos(below);
}

}  // namespace lanescope::ui
