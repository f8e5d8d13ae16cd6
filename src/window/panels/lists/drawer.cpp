// The lower part of the middle area: a row of tabs, and below it the plots or a list.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/code.h"
#include "shell/finding.h"
#include "window/panels/code/code_view.h"
#include "window/panels/details/details_panels.h"
#include "window/panels/lists/lists_panels.h"
#include "window/panels/plots/plots_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kBeside = 190;
constexpr float kDrawerShare = 0.25f;  // of the room
constexpr float kTabRow = 26;          // same as the plots' heading, which it replaces

struct Tab {
  DrawerTab tab;
  const char* id;
  std::string text;
  std::string count;  // at most four characters, so that nothing next to it moves
  Action action;
};

// "7", "83", "1.2k", "100k"
std::string tab_count(std::uint64_t n) {
  if (n < 1000) return std::to_string(n);
  if (n < 9'950) return fmt::format("{:.1f}k", static_cast<double>(n) / 1e3);
  if (n < 999'500) return fmt::format("{:.0f}k", static_cast<double>(n) / 1e3);
  if (n < 9'950'000) return fmt::format("{:.1f}M", static_cast<double>(n) / 1e6);
  return fmt::format("{:.0f}M", static_cast<double>(n) / 1e6);
}

float tab_width(const Canvas& c, const Tab& tab) {
  const float count = tab.count.empty() ? 0 : text_width(c.fonts, FontRole::MonoSmall, "0000") + 6 * c.scale;
  return text_width(c.fonts, FontRole::SmallBold, tab.text) + count;
}

// A tab has space for its text and four digits, regardless of the count.
float draw_tab(const Canvas& c, const Tab& tab, float x, float y, float gap) {
  const float s = c.scale;
  const bool on = c.state.drawer == tab.tab;
  const float text_w = text_width(c.fonts, FontRole::SmallBold, tab.text);
  const float width = tab_width(c, tab);
  const float height = 20 * s;
  ImGui::SetCursorScreenPos({x - 6 * s, y});
  const bool clicked = press_area(c, tab.id, {width + 12 * s, height});
  note_control(c, tab.id);
  const bool hovered = ImGui::IsItemHovered();
  if (clicked) c.state.drawer = on ? DrawerTab::Closed : tab.tab;
  // Above, so that the neighbouring tabs stay in sight.
  if (hovered) ImGui::SetNextWindowPos({x - 6 * s, y - 4 * s}, ImGuiCond_Always, {0, 1});
  if (hovered) {
    ImGui::SetTooltip("%s", with_keys(tr(info(tab.action).text), tab.action).c_str());
  }
  const std::uint32_t ink = on        ? c.theme[Colour::Text]
                            : hovered ? c.theme.as_text(Colour::Accent)
                                      : c.theme[Colour::Dim];
  const Label labels[] = {{x, y, text_w + 2, ink, FontRole::SmallBold, tab.text, height},
                          {x + text_w + 6 * s, y, width - text_w, c.theme.as_text(on ? Colour::Accent : Colour::Muted),
                           FontRole::MonoSmall, tab.count, height}};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  draw_labels(list, c.fonts, labels);
  if (on) {
    list.AddRectFilled({x, y + height - s}, {x + text_w, y + height + s}, c.theme[Colour::Accent], s);
  }
  return x + width + gap;
}

}  // namespace

float drawer_height(const ShellState& state, float room) {
  const float tabs = (kTabRow + 2) * state.scale();
  if (state.drawer == DrawerTab::Closed) return tabs;
  const float most = std::max(tabs, room * kDrawerShare);
  if (state.drawer == DrawerTab::Plots) return std::clamp(plots_height(state), tabs, most);
  return state.drawer == DrawerTab::Ranks ? std::min(most, ranks_height(state)) : most;
}

void draw_drawer(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const std::size_t marks = state.marks.rulers.size() + state.marks.bookmarks.size();
  const std::string found = state.search.asked() ? tab_count(state.search.total) : "";
  std::vector<Tab> tabs{
      {DrawerTab::Plots, "tab.plots", tr("PLOTS"), "", Action::ShowPlots},
      {DrawerTab::Events, "tab.events", tr("EVENTS"), "", Action::EventList},
      {DrawerTab::Found, "tab.found", tr("FOUND"), found, Action::Search},
      {DrawerTab::Statistics, "tab.statistics", tr("STATISTICS"), "", Action::Statistics},
      {DrawerTab::Figures, "tab.figures", tr("FIGURES"), "", Action::ShowPlots},
      {DrawerTab::Marks, "tab.marks", tr("MARKS"), marks > 0 ? tab_count(marks) : "", Action::MarksList}};
  if (has_code(state)) tabs.insert(tabs.begin() + 1, {DrawerTab::Code, "tab.code", tr("CODE"), "", Action::CodeView});
  if (state.job.has_ranks()) tabs.push_back({DrawerTab::Ranks, "tab.ranks", tr("RANKS"), "", Action::Ranks});
  const DrawerTab before = state.drawer;
  float x = at.x + 16 * s;
  float all = 0;
  for (const Tab& tab : tabs) all += tab_width(c, tab);
  // The controls of the open tab are at the right.
  const float room = ImGui::GetWindowWidth() - kBeside * s - all;
  const float gap = std::clamp(room / static_cast<float>(tabs.size()), 10 * s, 20 * s);
  for (const Tab& tab : tabs) x = draw_tab(c, tab, x, at.y, gap);
  state.places["drawer.header"] = {x, at.y, std::max(0.0f, at.x + ImGui::GetWindowWidth() - x), 22 * s};
  if (state.drawer == DrawerTab::Found && before != DrawerTab::Found) open_search(state);
  if (state.drawer != DrawerTab::Closed) state.last_drawer = state.drawer;
  ImGui::SetCursorScreenPos(at);
  switch (state.drawer) {
    case DrawerTab::Code:
      return draw_code_tab(c);
    case DrawerTab::Events:
      return draw_event_list(c);
    case DrawerTab::Found:
      return draw_found(c);
    case DrawerTab::Marks:
      ImGui::SetCursorScreenPos({at.x, at.y + kTabRow * s});
      return draw_marks_list(c);
    case DrawerTab::Statistics:
      return draw_statistics(c);
    case DrawerTab::Ranks:
      return draw_ranks(c);
    case DrawerTab::Figures:
      return draw_figures(c);
    case DrawerTab::Plots:
      return draw_plots(c);
    case DrawerTab::Closed:
      return;
  }
}

}  // namespace lanescope::ui
