#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "window/panels/plots/plot_rows.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

constexpr float kReach = 5;       // above and below the middle of a divider
constexpr float kCloseSide = 18;  // size of the x; a click hits it within the least target
constexpr float kDragBegins = 4;

const PlotRow* row_at(const PlotRows& rows, float y) {
  for (const PlotRow& row : rows.rows) {
    if (y >= row.box.y && y < row.box.y + row.box.height) return &row;
  }
  return nullptr;
}

Rect close_box(const PlotRow& row, float axis_left, float s) {
  const float around = (kLeastTarget - kCloseSide) / 2;
  return {axis_left - (kCloseSide + 3 + around) * s, row.box.y + (2 - around) * s, kLeastTarget * s, kLeastTarget * s};
}

bool inside(const Rect& r, float x, float y) { return x >= r.x && x < r.x + r.width && y >= r.y && y < r.y + r.height; }

// The plot before which a plot dropped at this height goes; empty: after the last.
std::string drop_before(const PlotRows& rows, float y) {
  for (const PlotRow& row : rows.rows) {
    if (y < row.box.y + row.box.height / 2) return row.info.key;
  }
  return {};
}

void drag_divider(ShellState& state, const PlotRows& rows, const PlotGrip& grip, float y) {
  const PlotRow *upper = nullptr, *lower = nullptr;
  for (const PlotRow& row : rows.rows) {
    if (row.info.key == grip.key) upper = &row;
    if (row.info.key == grip.lower) lower = &row;
  }
  if (!upper || !lower) return;
  const float bottom = lower->box.y + lower->box.height;
  state.plots.view.choice.divide(grip.key, grip.lower, (y - upper->box.y) / std::max(1.0f, bottom - upper->box.y));
  remember_choice(state);
}

void draw_close(const Canvas& c, const PlotRow& row, float axis_left, bool hot) {
  const float s = c.scale;
  const Rect box = close_box(row, axis_left, s);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float inset = (kLeastTarget - kCloseSide) / 2 * s;
  list.AddRectFilled({box.x + inset, box.y + inset}, {box.x + box.width - inset, box.y + box.height - inset},
                     c.theme[hot ? Colour::PanelHovered : Colour::PanelRaised], 4 * s);
  const float arm = 3.5f * s;
  const ImVec2 mid{box.x + box.width / 2, box.y + box.height / 2};
  const std::uint32_t ink = c.theme[hot ? Colour::Text : Colour::Muted];
  list.AddLine({mid.x - arm, mid.y - arm}, {mid.x + arm, mid.y + arm}, ink, 1.5f * s);
  list.AddLine({mid.x - arm, mid.y + arm}, {mid.x + arm, mid.y - arm}, ink, 1.5f * s);
}

void draw_drop_line(const Canvas& c, const PlotRows& rows, float y) {
  const std::string before = drop_before(rows, y);
  float at = rows.rows.back().box.y + rows.rows.back().box.height + 3 * c.scale;
  for (const PlotRow& row : rows.rows) {
    if (row.info.key == before) at = row.box.y - 3 * c.scale;
  }
  ImGui::GetWindowDrawList()->AddRectFilled({rows.area.x + 8 * c.scale, at - c.scale},
                                            {rows.axis.right_px(), at + c.scale}, c.theme[Colour::Accent]);
}

void turn_wheel(const Canvas& c, const PlotRows& rows, float wheel, const ImVec2& mouse) {
  ShellState& state = c.state;
  const bool more = rows.rows.size() < rows.chosen;
  if (more && (mouse.x < rows.axis.left_px() || !rows.same_axis)) {
    if (wheel > 0 && state.plots.view.first > 0) --state.plots.view.first;
    if (wheel < 0) ++state.plots.view.first;  // prepare_rows() limits it
  } else if (rows.same_axis && mouse.x >= rows.axis.left_px()) {
    const double step = ImGui::GetIO().KeyCtrl ? 1.05 : ImGui::GetIO().KeyShift ? 1.5 : 1.25;
    state.view.zoom(std::pow(step, static_cast<double>(wheel)), mouse.x);
  }
}

}  // namespace

PlotGrip grip_at(const PlotRows& rows, float x, float y, float scale) {
  for (std::size_t i = 0; i + 1 < rows.rows.size(); ++i) {
    const Rect& upper = rows.rows[i].box;
    const float middle = (upper.y + upper.height + rows.rows[i + 1].box.y) / 2;
    if (std::abs(y - middle) > kReach * scale) continue;
    return {PlotPart::Divider, rows.rows[i].info.key, rows.rows[i + 1].info.key};
  }
  const PlotRow* row = row_at(rows, y);
  if (!row) return {};
  if (x >= rows.axis.left_px()) return {PlotPart::Curves, row->info.key, {}};
  const bool close = inside(close_box(*row, rows.axis.left_px(), scale), x, y);
  return {close ? PlotPart::Close : PlotPart::Name, row->info.key, {}};
}

void handle_plot_gestures(const Canvas& c, const PlotRows& rows) {
  if (rows.rows.empty()) return;
  ShellState& state = c.state;
  PlotsView& view = state.plots.view;
  const float s = c.scale;
  for (std::size_t i = 0; i < rows.rows.size(); ++i) {
    const PlotRow& row = rows.rows[i];
    const float left = rows.axis.left_px();
    state.places["plot.name." + row.info.key] = {row.box.x, row.box.y, left - row.box.x, row.box.height};
    note_control(c, "plot.close." + row.info.key, close_box(row, left, s));
    if (i + 1 < rows.rows.size()) {
      const float bottom = row.box.y + row.box.height;
      state.places["plot.divider." + row.info.key] = {left, bottom, rows.axis.width_px(),
                                                      rows.rows[i + 1].box.y - bottom};
    }
  }
  ImGui::SetCursorScreenPos({rows.area.x, rows.area.y});
  ImGui::InvisibleButton("##plots", {rows.area.width, std::max(1.0f, rows.area.height)},
                         ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  own_wheel();
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  const bool hovered = ImGui::IsItemHovered();
  if (hovered && ImGui::IsMouseReleased(1)) view.toggle_menu = true;
  if (ImGui::IsItemActivated() && ImGui::IsMouseDown(0)) view.grip = grip_at(rows, mouse.x, mouse.y, s);
  const PlotGrip under = hovered ? grip_at(rows, mouse.x, mouse.y, s) : PlotGrip{};
  PlotGrip& grip = view.grip;
  if (ImGui::IsItemActive() && ImGui::IsMouseDown(0)) {
    grip.moved = grip.moved || std::abs(ImGui::GetMouseDragDelta(0, 0).x) > kDragBegins * s ||
                 std::abs(ImGui::GetMouseDragDelta(0, 0).y) > kDragBegins * s;
    if (grip.part == PlotPart::Divider && grip.moved) drag_divider(state, rows, grip, mouse.y);
    if (grip.part == PlotPart::Name && grip.moved) draw_drop_line(c, rows, mouse.y);
    if (grip.part == PlotPart::Curves && rows.same_axis && grip.moved && io.MouseDelta.x != 0) {
      state.view.pan(io.MouseDelta.x);
    }
  } else if (grip.part != PlotPart::None) {
    if (grip.part == PlotPart::Name && grip.moved) {
      view.choice.move(grip.key, drop_before(rows, mouse.y));
      remember_choice(state);
    }
    if (grip.part == PlotPart::Close && under.part == PlotPart::Close && under.key == grip.key) {
      view.choice.remove(grip.key);
      remember_choice(state);
    }
    grip = {};
  }
  const PlotPart held = grip.part != PlotPart::None ? grip.part : under.part;
  if (held == PlotPart::Divider) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeNS);
  if (held == PlotPart::Name) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  const bool over_name = under.part == PlotPart::Name || under.part == PlotPart::Close;
  if (const PlotRow* row = row_at(rows, mouse.y); row && over_name && !grip.moved) {
    draw_close(c, *row, rows.axis.left_px(), under.part == PlotPart::Close);
  }
  for (const PlotRow& row : rows.rows) {
    if (state.focus.is_at("plot.close." + row.info.key)) draw_close(c, row, rows.axis.left_px(), false);
  }
  if (hovered && io.MouseWheel != 0) turn_wheel(c, rows, io.MouseWheel, mouse);
  const bool on_curves =
      hovered && !io.MouseDown[0] && mouse.x >= rows.axis.left_px() && mouse.x < rows.axis.right_px();
  if (on_curves && rows.same_axis) view.pointed_px = mouse.x;
}

}  // namespace lanescope::ui
