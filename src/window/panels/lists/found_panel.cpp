// The search: its field in the row of the tabs, and the results below.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "shell/finding.h"
#include "window/panels/lists/event_table.h"
#include "window/panels/lists/lists_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kFoundBar = 14;

bool pressed_found(ImGuiKey key) {
#if IMGUI_VERSION_NUM >= 18700
  return ImGui::IsKeyPressed(key);
#else
  return ImGui::IsKeyPressed(ImGui::GetKeyIndex(key));
#endif
}

std::string count_text(const SearchState& search) {
  if (!search.asked()) return "";
  const std::string total = base::format_count(static_cast<std::int64_t>(search.total));
  if (search.total == 0) return search.searching() ? tr("searching …") : tr("none");
  const std::string of = search.searching() ? total + " …" : total;
  if (!search.at) return of;
  return tr("{} of {}", base::format_count(static_cast<std::int64_t>(*search.at) + 1), of);
}

bool small_button(const Canvas& c, const char* id, const char* sign, const Rect& r, const std::string& tip) {
  const float s = c.scale;
  ImGui::SetCursorScreenPos({r.x, r.y});
  const bool clicked = press_area(c, id, {r.width, r.height});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered) {
    list.AddRectFilled({r.x, r.y}, {r.x + r.width, r.y + r.height}, c.theme[Colour::PanelRaised], 4 * s);
    ImGui::SetTooltip("%s", tip.c_str());
  }
  draw_label(c, r, c.theme.as_text(hovered ? Colour::Accent : Colour::Muted), FontRole::BodyBold, sign,
             LabelAlign::Centre);
  return clicked;
}

std::string tip(Action action) { return with_keys(tr(info(action).text), action); }

void draw_found_field(const Canvas& c) {
  ShellState& state = c.state;
  SearchState& search = state.search;
  const float s = c.scale;
  const Rect row = state.places["drawer.header"];
  const float side = 20 * s;
  float right = row.x + row.width - 12 * s;
  const auto next_box = [&] { return Rect{right -= side + 2 * s, row.y, side, side}; };
  if (small_button(c, "search.close", "×", next_box(), tr("close the search (Esc)"))) close_search(state);
  if (small_button(c, "search.next", "↓", next_box(), tip(Action::NextFound))) walk_found(state, true);
  if (small_button(c, "search.previous", "↑", next_box(), tip(Action::PreviousFound))) walk_found(state, false);
  // Wide enough for any count, so that the field next to it does not move.
  const float count_width = text_width(c.fonts, FontRole::MonoSmall, "00,000 of 000,000 …");
  right -= count_width + 8 * s;
  draw_label(c, {right, row.y, count_width, side}, c.theme.as_text(Colour::Muted), FontRole::MonoSmall,
             count_text(search), LabelAlign::Right);
  const float width = std::max(60 * s, std::min(300 * s, right - 8 * s - row.x));
  const std::string before = search.text;
  const bool entered =
      list_field(c, "search" + std::to_string(search.field_number), tr("search events by name"), search.text,
                 {right - 8 * s - width, row.y, width, 0}, search.field_active ? Colour::Accent : Colour::Line,
                 ImGuiInputTextFlags_EnterReturnsTrue);
  note_control(c, "search.field");
  const bool was_active = search.field_active;
  search.field_active = ImGui::IsItemActive();
  if (search.focus_wanted && !search.field_active) {
    focus_field(c, -1);  // Dear ImGui 1.90 does not find the next one in a child window
  } else {
    search.focus_wanted = false;
  }
  if (was_active && pressed_found(ImGuiKey_Escape)) {
    close_search(state);
    return;
  }
  if (search.text != before) {
    search.open = true;
    search.top = 0;
    search.at.reset();
    search.shown.reset();
  }
  if (entered) {
    search.focus_wanted = true;  // the next Enter continues
    c.state.await_field();
    walk_found(state, !ImGui::GetIO().KeyShift);
  }
}

// Shown before anything is typed, and when nothing was found.
void draw_nothing(const Canvas& c, const Rect& area) {
  SearchState& search = c.state.search;
  const float s = c.scale;
  ImGui::SetCursorScreenPos({area.x + 16 * s, area.y + 10 * s});
  if (!search.asked()) {
    text(c, FontRole::Body, Colour::Muted,
         tr("Type part of a name to find every event that has it, while the run goes on."));
    for (const auto& [what, says] :
         {std::pair("copy host", tr("both words are in the name")), std::pair("\"item()\"", tr("exactly this name")),
          std::pair("linear -backward", tr("without names that contain the second word"))}) {
      ImGui::SetCursorPosX(16 * s);
      text(c, FontRole::Mono, Colour::Accent, what);
      ImGui::SameLine(160 * s);
      text(c, FontRole::Body, Colour::Muted, says);
    }
    return;
  }
  if (search.searching()) return text(c, FontRole::Body, Colour::Muted, tr("searching …"));
  text(c, FontRole::Body, Colour::Text, tr("No event matches “{}”.", search.text));
  if (search.near().empty()) return;
  ImGui::SetCursorPosX(16 * s);
  text(c, FontRole::Body, Colour::Muted, tr("Similar names:"));
  std::string taken;
  for (std::size_t i = 0; i < search.near().size(); ++i) {
    ImGui::SameLine(0, 8 * s);
    const std::string& name = search.near()[i];
    const std::string shown = fit_text(c.fonts, FontRole::Body, name, 240 * s);
    const float width = text_width(c.fonts, FontRole::Body, shown) + 4 * s;
    const float room = area.x + area.width - ImGui::GetCursorScreenPos().x;
    if (shown.empty() || width > room) break;
    text(c, FontRole::Body, Colour::Accent, shown);
    const std::string id = "search.near." + std::to_string(i);
    if (press_text(c, id.c_str())) taken = name;
    note_control(c, id);
  }
  if (!taken.empty()) search_for(c.state, analysis::quoted_name(taken));
}

}  // namespace

void draw_found(const Canvas& c) {
  ShellState& state = c.state;
  SearchState& search = state.search;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  draw_found_field(c);
  const Rect area{at.x, at.y + 26 * s, size.x - kFoundBar * s, size.y - 26 * s};
  const std::size_t fitting = rows_that_fit(c, area);
  search.hovered.reset();
  if (search.found.empty()) return draw_nothing(c, area);
  if (fitting == 0) return;
  if (std::exchange(search.scroll_to_shown, false) && search.at) {
    const bool there = *search.at >= search.top && *search.at < search.top + fitting;
    if (!there) search.top = *search.at - std::min(*search.at, fitting / 3);
  }
  scroll_by_wheel(area, fitting, search.found.size(), search.top);

  std::optional<EventRef> pointed;
  if (state.pointed.hit) pointed = state.pointed.hit->event;
  const Nanoseconds origin = state.model.live() ? 0 : state.model.extent().first;
  const EventTable table{"found", area, origin, search.shown, pointed};
  std::string note;
  if (search.total > search.found.size() && !search.searching()) {
    note = tr("the first {} are listed", base::format_count(static_cast<std::int64_t>(search.found.size())));
  }
  draw_table_header(c, table, note);
  const std::span<const EventRef> shown =
      std::span(search.found).subspan(search.top, std::min(fitting, search.found.size() - search.top));
  const EventTableAnswer answer = draw_table_rows(c, table, shown);
  search.hovered = answer.hovered;
  if (answer.clicked) {
    const auto place = std::find(shown.begin(), shown.end(), *answer.clicked);
    show_found(state, search.top + static_cast<std::size_t>(place - shown.begin()));
  }
  const Rect track{area.x + area.width, area.y + kListHeader * s, kFoundBar * s, area.height - kListHeader * s};
  draw_lines_bar(c, "found.bar", track, fitting, search.found.size(), search.top);
}

}  // namespace lanescope::ui
