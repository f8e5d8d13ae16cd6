#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "timeline/mark_shapes.h"
#include "window/panels/plots/plot_rows.h"
#include "window/panels/plots/plots_panels.h"
#include "window/widgets.h"
#include "workload/common_settings.h"
#include "workload/settings.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr double kHistorySeconds = 60;  // on screen, at the current speed
constexpr double kLeastHistorySeconds = 4;
constexpr float kHeadingHeight = 26;
constexpr float kFlagsHeight = 20;
constexpr float kLegendHeight = 22;
constexpr float kGoodRowHeight = 72;

bool on_timeline_axis(const ShellState& state) {
  return state.plots.on_timeline_axis.value_or(!state.model.live() || state.view.mode() == ViewMode::Roll);
}

// The whole run while it is short, then the last stretch; the length grows in round steps, so that it is readable.
TimeAxis history_axis(const ShellState& state, const TimeAxis& place) {
  const auto [begin, end] = state.model.extent();
  const double most = kHistorySeconds * state.model.speed() * 1e9;
  double span = kLeastHistorySeconds * state.model.speed() * 1e9;
  for (const double step : {1.5, 2.0, 3.0, 5.0, 7.5, 10.0, 15.0}) {
    if (span >= static_cast<double>(end - begin)) break;
    span = std::min(most, kLeastHistorySeconds * state.model.speed() * 1e9 * step);
  }
  return place.fitted(end - static_cast<Nanoseconds>(span), end + static_cast<Nanoseconds>(span * 0.012));
}

// Appends the action's current key: "take it away (Y)".
std::string with_key(const char* hint, Action action) {
  const std::string keys = keys_text(info(action));
  return keys.empty() ? hint : fmt::format("{} ({})", hint, keys);
}

// A clickable word at the right end of the heading; returns its left edge.
float heading_button(const Canvas& c, const char* id, const std::string& text, float right, float y, bool on,
                     const std::string& hint, bool* clicked) {
  const float s = c.scale;
  const float width = text_width(c.fonts, FontRole::Small, text) + 14 * s;
  ImGui::SetCursorScreenPos({right - width, y});
  *clicked = press_area(c, id, {width, 20 * s});
  note_control(c, id);
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetTooltip("%s", hint.c_str());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (hovered || on) {
    list.AddRectFilled({right - width, y}, {right, y + 20 * s},
                       c.theme[hovered ? Colour::PanelHovered : Colour::PanelRaised], 4 * s);
  }
  const Label label{
      right - width,   y,    width,  hovered || on ? c.theme.as_text(Colour::Accent) : c.theme[Colour::Muted],
      FontRole::Small, text, 20 * s, LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
  return right - width - 4 * s;
}

// At the right end of the row; the drawer's tabs are at its left, and buttons that do not fit next to them are left
// out.
void draw_heading(const Canvas& c, const PlotRows& rows, float y) {
  ShellState& state = c.state;
  const float s = c.scale;
  const auto tabs = state.places.find("drawer.header");
  const float left = tabs == state.places.end() ? rows.area.x : tabs->second.x - 12 * s;
  float right = rows.axis.right_px();
  bool clicked = false;
  const bool open = state.plots.view.menu_open;
  right = heading_button(c, "plot_menu", "+", right, y, open, tr("choose the plots"), &clicked);
  if (clicked) state.plots.view.toggle_menu = true;
  right = heading_button(c, "plot_log", tr("log"), right, y, state.plots.view.logarithmic,
                         with_key(tr("logarithmic, where no value is negative"), Action::TogglePlotLog), &clicked);
  if (clicked) state.requests.actions.push_back(Action::TogglePlotLog);
  const auto span = static_cast<Nanoseconds>(rows.axis.span_ns() / 1.012);
  const std::string length = base::format_duration(span);
  std::string says = rows.same_axis ? std::string(tr("the timeline's axis")) : tr("the last {}", length);
  const auto fits = [&](const std::string& text) {
    return right - text_width(c.fonts, FontRole::Small, text) - 14 * s >= left;
  };
  if (!fits(says)) says = rows.same_axis ? std::string(tr("same axis")) : length;
  if (!fits(says)) return;
  right = heading_button(c, "plot_axis", says, right, y, false,
                         with_key(tr("click: the timeline's axis or the history"), Action::TogglePlotAxis), &clicked);
  if (clicked) state.requests.actions.push_back(Action::TogglePlotAxis);
  if (rows.rows.size() >= rows.chosen) return;
  const std::string shown = tr("{} of {} plots", rows.rows.size(), rows.chosen);
  if (!fits(shown)) return;
  const Label more{right - 130 * s, y,     124 * s, c.theme[Colour::Dim],
                   FontRole::Small, shown, 20 * s,  LabelAlign::Right};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, {&more, 1});
}

double rate_now(const ShellState& state) {
  const Model& model = state.model;
  const bool current = !model.live() || model.recent_is_current();
  return current ? summary_value(PlotKind::IterationsPerSecond, model.recent(), 0) : std::nan("");
}

void draw_ghost_legend(const Canvas& c, const PlotRows& rows, float x, float y) {
  ShellState& state = c.state;
  const float s = c.scale;
  const GhostRun& ghost = state.plots.ghost;
  const bool itself = ghost.generation == state.model.generation() && ghost.begin_ns == rows.present_begin;
  std::string says = tr("ghost pinned: turn a knob, switch sides or restart, and see both");
  if (!itself) {
    const Steering* steering = state.model.steering();
    const std::optional<workload::Settings> settings =
        steering ? std::optional(steering->settings()) : std::optional<workload::Settings>();
    const std::string difference = ghost_difference(ghost, state.model.source().device().name,
                                                    state.model.facts().workload, settings ? &*settings : nullptr);
    const double work = ghost.settings && settings ? analysis::work_between(workload::batch_size_of(*ghost.settings),
                                                                            workload::batch_size_of(*settings))
                                                   : 1;
    says = ghost_legend(difference, ghost.pace.known() ? 1e9 / ghost.pace.ns : std::nan(""), rate_now(state), work);
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float middle = y + kLegendHeight * s / 2 - s;
  const float left = x + 16 * s;
  for (int dash = 0; dash < 3; ++dash) {
    const float at = left + static_cast<float>(dash) * 10 * s;
    list.AddLine({at, middle}, {at + 6 * s, middle}, c.theme[Colour::Muted], 2 * s);
  }
  const float text_left = left + 36 * s;
  const float room = rows.axis.right_px() - text_left - 26 * s;
  const float width = std::min(room, text_width(c.fonts, FontRole::Body, says) + 2 * s);
  const Label label{text_left, y, room, c.theme[Colour::Text], FontRole::Body, says, (kLegendHeight - 2) * s};
  draw_labels(list, c.fonts, {&label, 1});
  state.places["ghost_legend"] = {text_left, y, width, kLegendHeight * s};
  const float side = 16 * s;
  const ImVec2 at{text_left + width + 8 * s, middle - side / 2};
  ImGui::SetCursorScreenPos(at);
  if (press_area(c, "ghost_away", {side, side})) state.requests.actions.push_back(Action::PinGhost);
  note_control(c, "ghost_away");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) ImGui::SetTooltip("%s", with_key(tr("remove the ghost"), Action::PinGhost).c_str());
  const std::uint32_t ink = c.theme[hovered ? Colour::Text : Colour::Dim];
  const float arm = 3.5f * s;
  const ImVec2 mid{at.x + side / 2, middle};
  list.AddLine({mid.x - arm, mid.y - arm}, {mid.x + arm, mid.y + arm}, ink, 1.5f * s);
  list.AddLine({mid.x - arm, mid.y + arm}, {mid.x + arm, mid.y - arm}, ink, 1.5f * s);
}

// Marks turned knobs across all plots; flags are omitted if the timeline, on the same axis, shows them.
void draw_markers(const Canvas& c, const PlotRows& rows, float flags_y) {
  const float s = c.scale;
  const TimeAxis& axis = rows.axis;
  static SpanBatch marks;
  marks.clear();
  const float bottom = rows.area.y + rows.area.height;
  const float top = rows.same_axis ? rows.area.y : flags_y + (kFlagsHeight - 4) * s;
  const auto& markers = c.state.model.analysis().markers();
  const auto starts_at = [](const trace::Event& marker) { return marker.start_ns; };
  const auto begin = std::ranges::lower_bound(markers, axis.begin_ns(), {}, starts_at);
  const auto end = std::ranges::lower_bound(markers, axis.end_ns(), {}, starts_at);
  float last_x = -1e6f;
  for (auto marker = begin; marker < end; ++marker) {
    const float x = axis.to_px(marker->start_ns);
    if (x < last_x + 1) continue;
    last_x = x;
    for (float dash = top; dash < bottom; dash += 7 * s) {
      marks.solid(x - 0.75f * s, dash, x + 0.75f * s, std::min(bottom, dash + 4 * s), c.theme[Colour::Marker]);
    }
  }
  if (marks.empty()) return;
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({axis.left_px(), flags_y}, {axis.right_px(), bottom}, true);
  add_to_draw_list(list, c.spans, marks);
  std::vector<Label> flags;
  const auto& names = c.state.model.trace().names();
  if (!rows.same_axis) {
    for (const MarkerFlag& flag : marker_flags(names, {begin, end}, axis, flags_y, 17 * s, s)) {
      flags.push_back({flag.body.x, flag.body.y, flag.body.width, c.theme[Colour::Text], FontRole::Small, flag.text,
                       flag.body.height, LabelAlign::Left, c.theme[Colour::PanelRaised]});
    }
  }
  draw_labels(list, c.fonts, flags);
  list.PopClipRect();
}

}  // namespace

bool has_iteration_plots(const ShellState& state) {
  return state.model.live() || !state.model.analysis().records().empty();
}

bool has_plots(const ShellState& state) {
  return has_iteration_plots(state) || !plot_catalogue(state.model.trace(), false).empty();
}

bool shows_ghost(const ShellState& state) { return !state.plots.ghost.empty() && has_iteration_plots(state); }

float plots_height(const ShellState& state) {
  if (!has_plots(state)) return 0;
  const auto plots = static_cast<float>(shown_plot_count(state));
  const float legend = shows_ghost(state) ? kLegendHeight : 0;
  return (kHeadingHeight + legend + kFlagsHeight + plots * kGoodRowHeight) * state.scale();
}

void draw_plots(const Canvas& c) {
  ShellState& state = c.state;
  PlotsView& view = state.plots.view;
  const float s = c.scale;
  view.moving = false;
  if (!has_plots(state)) return;
  if (!std::exchange(view.chosen, true)) view.choice.set_texts(state.preferences.plots);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const bool same_axis = on_timeline_axis(state);
  const TimeAxis axis = same_axis ? state.view.axis() : history_axis(state, state.view.axis());
  const bool ghost = shows_ghost(state);
  const float legend_y = at.y + kHeadingHeight * s;
  const float flags_y = legend_y + (ghost ? kLegendHeight * s : 0);
  const float top = flags_y + (same_axis ? 0 : kFlagsHeight * s);
  const Rect area{at.x, top, size.x, std::max(0.0f, at.y + size.y - top)};
  const PlotRows rows = prepare_rows(c, axis, same_axis, area);
  state.places["plots"] = area;
  draw_heading(c, rows, at.y);
  if (ghost) draw_ghost_legend(c, rows, at.x, legend_y);
  draw_rows(c, rows);
  draw_markers(c, rows, flags_y);
  handle_plot_gestures(c, rows);
  draw_plot_hover(c, rows);
  state.in_motion = state.in_motion || view.moving;
  draw_plot_menu(c, plot_catalogue(state.model.trace(), has_iteration_plots(state)));
}

}  // namespace lanescope::ui
