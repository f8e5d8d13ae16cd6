#include "window/panels/compare/compare_panel.h"

#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "timeline/lane_row.h"
#include "window/canvas.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kToolbar = 40;
constexpr float kTableShare = 0.34f, kLeastTable = 150;  // share of the space, if there is not enough for everything
constexpr float kNoTable = 80;                           // below this height there is no table
constexpr double kWheelZoom = 1.25;
constexpr float kBelowHeading = 14;

std::string tip_of(Action action) { return with_keys(tr(info(action).text), action); }

struct Tool {
  const char* id;
  std::string text;
  Action action;
};

// The buttons at the right. If space is short, the least important are left out first: all of them are in the menu,
// too.
void draw_tools(const Canvas& c, const Rect& area, float left) {
  const float s = c.scale;
  const CompareState& compare = c.state.comparison.state;
  std::vector<Tool> tools;
  if (compare.pinned()) tools.push_back({"compare.unpin", tr("Unpin A"), Action::UnpinA});
  if (compare.pinned()) tools.push_back({"compare.pin", tr("Pin this as A"), Action::PinA});
  if (compare.b()) tools.push_back({"compare.copy", tr("Copy table"), Action::CopyComparison});
  if (compare.b()) tools.push_back({"compare.picture", tr("Picture"), Action::PicturePanel});
  tools.push_back({"compare.close", "×", Action::CompareView});
  const float gap = 6 * s;
  float width = 0;
  std::vector<float> widths;
  for (const Tool& tool : tools) {
    widths.push_back(text_width(c.fonts, FontRole::Body, tool.text) + 20 * s);
    width += widths.back() + gap;
  }
  float x = area.x + area.width - 16 * s - width + gap;
  for (std::size_t i = 0; i < tools.size(); ++i) {
    if (x >= left || i + 1 == tools.size()) {
      ImGui::SetCursorScreenPos({x, area.y + (area.height - 26 * s) / 2});
      if (button(c, tools[i].id, tools[i].text, false, widths[i], tip_of(tools[i].action).c_str())) {
        c.state.requests.actions.push_back(tools[i].action);
      }
    }
    x += widths[i] + gap;
  }
}

void draw_toolbar(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  CompareState& compare = c.state.comparison.state;
  ImGui::SetCursorScreenPos({area.x + 16 * s, area.y + (area.height - 26 * s) / 2});
  float left = area.x + 16 * s;
  if (compare.pinned()) {
    const std::vector<std::string> ways{tr("by iteration"), tr("by time")};
    float each = 0;
    for (const std::string& way : ways) each = std::max(each, text_width(c.fonts, FontRole::BodyBold, way) + 16 * s);
    const int chosen = segmented(c, "compare.align", ways, static_cast<int>(compare.align), 2 * each + 6 * s);
    if (chosen >= 0 && chosen != static_cast<int>(compare.align))
      c.state.requests.actions.push_back(Action::CompareAlign);
    left += 2 * each + 18 * s;
  }
  draw_tools(c, area, left);
}

std::string hint_of(const ShellState& state) {
  if (!state.comparison.state.pinned()) return "";
  if (state.comparison.state.measuring()) return tr("Measuring B …");
  return state.model.live() ? tr("Turn a knob: what runs then becomes B.")
                            : tr("Open or start another one: it becomes B.");
}

void draw_nothing_pinned(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  const bool waits = c.state.comparison.state.waits_for_a();
  const std::string says =
      waits ? tr("Measuring A …") : tr("“{}” pins this run as A.", with_keys(tr("Pin as A"), Action::PinA));
  const Label labels[] = {
      {area.x + 16 * s, area.y + area.height * 0.4f, area.width - 32 * s, c.theme[Colour::Text], FontRole::Title, says,
       28 * s, LabelAlign::Centre},
      {area.x + 16 * s, area.y + area.height * 0.4f + 32 * s, area.width - 32 * s, c.theme[Colour::Muted],
       FontRole::Body, tr("Then turn a knob: what runs next becomes B, and both appear here on one clock."), 24 * s,
       LabelAlign::Centre}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
}

struct Rooms {
  Rect toolbar, words, bands, table;
};

// Both at full height if there is space; otherwise the lanes get lower, then the table gets shorter, and if it would
// have hardly any lines it is left out.
Rooms rooms_of(const Canvas& c, const Rect& area, CompareBands& lanes, const BandsScene& scene, float table) {
  const float s = c.scale;
  Rooms r;
  float y = area.y;
  const auto take = [&](float height) {
    const Rect part{area.x, y, area.width, height};
    y += height;
    return part;
  };
  r.toolbar = take(kToolbar * s);
  r.words = take(kWordsHeight * s);
  const float room = area.y + area.height - y;
  const float for_table = std::min(table, std::max(kTableShare * room, kLeastTable * s));
  const float full = lanes.fitting_height(scene, room - table - 8 * s);
  float bands = std::min(full, std::max(lanes.least_height(scene), room - for_table));
  if (room - bands < kNoTable * s) bands = std::min(full, room);
  r.bands = take(std::round(bands));
  y += std::min(8 * s, std::max(0.0f, area.y + area.height - y - table));
  r.table = {area.x, y, area.width, area.y + area.height - y};
  if (r.table.height < kNoTable * s) r.table.height = 0;
  return r;
}

BandsScene scene_of(const Canvas& c, const std::string& hint) {
  const CompareState& compare = c.state.comparison.state;
  const CompareView& view = c.state.comparison.view;
  return {*compare.a(), compare.b().get(),         view.alignment(), view.texts(), c.theme, c.fonts, c.scale,
          hint,         &c.state.colours.colouring};
}

void tooltip_line(const Canvas& c, const std::string& name, const std::string& value) {
  text(c, FontRole::Small, Colour::Muted, name);
  ImGui::SameLine(130 * c.scale);
  text(c, FontRole::MonoSmall, Colour::Text, value);
}

void draw_tooltip(const Canvas& c, const RunSnapshot& run, const BandsHit& found) {
  const TimelineHit& hit = found.hit;
  const std::string side = found.side == kSideA ? "A  " : "B  ";
  ImGui::BeginTooltip();
  if (hit.event) {
    const trace::Event& e = hit.event->event;
    const trace::LaneInfo& lane = run.trace->lane(hit.lane).info();
    text(c, FontRole::BodyBold, Colour::Text, side + event_label(*run.trace, lane.kind, e));
    tooltip_line(c, tr("lane"), lane.name);
    tooltip_line(c, tr("duration"), base::format_duration(e.duration()));
    tooltip_line(c, tr("offset in its iteration"), base::format_duration(found.since_ns));
    if (trace::is_blocking(e)) tooltip_line(c, tr("waiting"), base::format_duration(trace::parts_of(e).waiting));
  } else if (hit.bubble) {
    text(c, FontRole::BodyBold, Colour::Bubble,
         side + tr("GPU idle") + " " + base::format_duration(hit.bubble->duration()));
    tooltip_line(c, tr("cause"), std::string(analysis::cause_name(hit.bubble->cause)));
  } else {
    text(c, FontRole::BodyBold, Colour::Text,
         side + tr("{} events, {:.0f} % busy", base::format_count(hit.folded_count), hit.folded_busy * 100));
    tooltip_line(c, tr("time span"), base::format_duration(hit.folded_to - hit.folded_from));
  }
  ImGui::EndTooltip();
}

// The same instant in both runs, with its time since the start of the iteration above it.
void draw_cursor(const Canvas& c, const Rooms& rooms, float x) {
  const CompareView& view = c.state.comparison.view;
  const TimeAxis axis = view.axis();
  if (x < axis.left_px() || x > axis.right_px()) return;
  const float s = c.scale;
  Nanoseconds at = axis.to_ns(x);
  for (const Alignment::Slot& slot : view.alignment().slots()) {
    if (at >= slot.from && at < slot.to) {
      at -= slot.from;
      break;
    }
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Rect& ruler = view.places.ruler;
  list.AddLine({x, ruler.y + ruler.height}, {x, rooms.bands.y + rooms.bands.height},
               with_alpha(c.theme[Colour::Muted], 0.6f));
  const std::string says = base::format_duration(at);
  const float width = text_width(c.fonts, FontRole::MonoSmall, says) + 12 * s;
  const float left = std::clamp(x - width / 2, axis.left_px() - 10 * s, axis.right_px() - width);
  list.AddRectFilled({left, ruler.y + s}, {left + width, ruler.y + 20 * s}, c.theme[Colour::PanelRaised], 4 * s);
  const Label label{left,   ruler.y + 2 * s,   width, c.theme[Colour::Text], FontRole::MonoSmall, says,
                    18 * s, LabelAlign::Centre};
  draw_labels(list, c.fonts, {&label, 1});
}

void compare_gestures(const Canvas& c, const Rooms& rooms, const BandsScene& scene) {
  CompareView& view = c.state.comparison.view;
  const ImGuiIO& io = ImGui::GetIO();
  const TimeAxis axis = view.axis();
  ImGui::SetCursorScreenPos({rooms.bands.x, rooms.bands.y});
  ImGui::InvisibleButton("##compare.bands", {rooms.bands.width, rooms.bands.height});
  note_place(c, "compare.bands");
  const bool over = ImGui::IsItemHovered();
  const bool on_axis = io.MousePos.x >= axis.left_px() && io.MousePos.x <= axis.right_px();
  if (over && io.MouseWheel != 0) {
    if (on_axis) {
      view.zoom(std::pow(kWheelZoom, static_cast<double>(io.MouseWheel)), io.MousePos.x);
    } else {
      view.scroll -= io.MouseWheel * 40 * c.scale;
    }
  }
  if (over && io.MouseWheelH != 0) view.pan(io.MouseWheelH * 60 * c.scale);
  if (ImGui::IsItemActive() && io.MouseDelta.x != 0) view.pan(io.MouseDelta.x);
  if (ImGui::IsItemActive() && view.places.overflow > 0) view.scroll -= io.MouseDelta.y;
  view.scroll = std::clamp(view.scroll, 0.0f, view.places.overflow);
  if (over && ImGui::IsMouseDoubleClicked(0)) view.fit();
  if (over && on_axis) draw_cursor(c, rooms, io.MousePos.x);
  if (over && !ImGui::IsMouseDown(0)) {
    if (const auto hit = view.bands.hit(scene, axis, io.MousePos.x, io.MousePos.y)) {
      draw_tooltip(c, *scene.side(hit->side), *hit);
    }
  }
  if (rooms.table.height < 1) return;
  ImGui::SetCursorScreenPos({rooms.table.x, rooms.table.y});
  ImGui::InvisibleButton("##compare.table", {rooms.table.width, rooms.table.height});
  note_place(c, "compare.table");
  if (ImGui::IsItemHovered()) view.table_scroll -= io.MouseWheel * kTableRow * c.scale;
}

// A table that does not fit has a scroll thumb at its right edge.
void draw_table_thumb(const Canvas& c, const Rect& table, float overflow) {
  if (overflow < 3 * c.scale) return;
  const float s = c.scale;
  const float top = table.y + kTableHead * s, room = table.height - kTableHead * s - 4 * s;
  const float length = std::max(20 * s, room * room / (room + overflow));
  if (room <= length) return;
  const float y = top + (room - length) * c.state.comparison.view.table_scroll / overflow;
  const float x = table.x + table.width - 9 * s;
  ImGui::GetWindowDrawList()->AddRectFilled({x, y}, {x + 5 * s, y + length}, c.theme[Colour::Faint], 2.5f * s);
}

void draw_sheet(const Canvas& c, const PictureSheet& sheet) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const PictureLayer& layer : sheet.layers) {
    const Rect& clip = layer.clip;
    list.PushClipRect({clip.x, clip.y}, {clip.x + clip.width, clip.y + clip.height}, true);
    add_to_draw_list(list, c.spans, layer.batch);
    draw_labels(list, c.fonts, layer.batch.labels);
    list.PopClipRect();
  }
}

}  // namespace

void draw_compare(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const Rect area{at.x, at.y, size.x, size.y};
  state.places["compare"] = area;
  state.pointed = {};
  CompareView& view = state.comparison.view;
  const float left = area.x + CompareBands::kNames * s;
  view.update(state.comparison.state, left,
              std::max(40.0f, area.x + area.width - CompareBands::kRightMargin * s - left),
              static_cast<double>(ImGui::GetIO().DeltaTime), state.preferences.animation);
  state.in_motion = state.in_motion || view.moving();
  draw_toolbar(c, {area.x, area.y, area.width, kToolbar * s});
  if (!state.comparison.state.pinned()) return draw_nothing_pinned(c, area);

  const std::string hint = hint_of(state);
  const BandsScene scene = scene_of(c, hint);
  const TableScene table{view.rows(), state.comparison.state.b() != nullptr, c.theme, c.fonts, s};
  const float table_wants = table_height(table);
  const CompareView::Key unplaced{view.version(), view.axis(), {}, {}, {}, 0, 0, s, c.theme.name, hint, c.fonts.body};
  const Rooms rooms = rooms_of(c, area, view.bands, scene, table_wants);
  const float overflow = rooms.table.height > 0 ? std::max(0.0f, table_wants - rooms.table.height) : 0;
  view.table_scroll = std::clamp(view.table_scroll, 0.0f, overflow);
  CompareView::Key key = unplaced;
  key.bands = rooms.bands;
  key.words = rooms.words;
  key.table = rooms.table;
  key.scroll = view.scroll;
  key.table_scroll = view.table_scroll;
  if (!view.composed || !view.composed->same(key)) {
    view.composed = key;
    view.sheet = {};
    SpanBatch words;
    add_words(view.words(), c.theme, c.fonts, s, rooms.words, words);
    view.places = view.bands.compose(scene, view.axis(), rooms.bands, view.scroll, view.sheet);
    if (rooms.table.height > 0) add_table(table, rooms.table, view.table_scroll, view.sheet);
    view.sheet.layers.push_back({rooms.words, std::move(words)});
  }
  draw_sheet(c, view.sheet);
  for (const std::size_t side : {kSideA, kSideB}) {
    state.places[side == kSideA ? "compare.a" : "compare.b"] = view.places.lanes[side];
  }
  draw_table_thumb(c, rooms.table, overflow);
  compare_gestures(c, rooms, scene);
}

}  // namespace lanescope::ui
