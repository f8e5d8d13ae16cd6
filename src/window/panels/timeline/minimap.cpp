// The whole run in one strip: iterations per second over the GPU's load; marks and the selection; and the view's
// window, which can be dragged by its middle and its edges.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "timeline/found_marks.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;
using Drag = MinimapDrag::Kind;

constexpr float kLeastHeight = 34, kMostHeight = 56;
constexpr float kMinimapGap = 4;
constexpr float kLeastWindow = 8;
constexpr float kEdgeReach = 5;
constexpr float kMinimapSlop = 4;

// The view's position on the strip, never too narrow to see and grab.
std::pair<float, float> window_of(const TimeAxis& axis, const TimeAxis& view, float scale) {
  float x0 = std::clamp(axis.to_px(view.begin_ns()), axis.left_px(), axis.right_px());
  float x1 = std::clamp(axis.to_px(view.end_ns()), axis.left_px(), axis.right_px());
  const float half = kLeastWindow * scale / 2;
  if (x1 - x0 < 2 * half) {
    const float middle = std::clamp((x0 + x1) / 2, axis.left_px() + half, axis.right_px() - half);
    x0 = middle - half;
    x1 = middle + half;
  }
  return {x0, x1};
}

// A bar of the strip: the sum of the bins under it, each weighted by its overlap.
struct MinimapBar {
  float busy = 0, covered = 0;
  float recorded = 0;  // of what is covered
};

void add_bins(const Canvas& c, const TimeAxis& axis, const Rect& box, SpanBatch& out) {
  const MinimapBins& whole = c.state.navigation.whole_run;
  const float s = c.scale;
  const float pitch = std::max(2.0f, std::floor(2 * s));  // whole pixels: no stripes where bars meet
  const float left = std::floor(axis.left_px());
  static std::vector<MinimapBar> bars;
  bars.assign(static_cast<std::size_t>(axis.width_px() / pitch) + 2, MinimapBar{});
  for (std::size_t i = 0; i < whole.bins().size(); ++i) {
    const MinimapBin& bin = whole.bins()[i];
    const Nanoseconds from = whole.from() + static_cast<Nanoseconds>(i) * whole.bin_ns();
    const float x0 = std::max(axis.to_px(from), axis.left_px()) - left;
    const float x1 = std::min(axis.to_px(from + whole.bin_ns()), axis.right_px()) - left;
    if (x1 <= x0) continue;
    for (auto b = static_cast<std::size_t>(x0 / pitch); b < bars.size(); ++b) {
      const float begin = static_cast<float>(b) * pitch;
      if (begin >= x1) break;
      const float part = std::min(x1, begin + pitch) - std::max(x0, begin);
      bars[b].busy += bin.busy * bin.recorded * part;
      bars[b].recorded += bin.recorded * part;
      bars[b].covered += part;
    }
  }
  const float bottom = box.y + box.height;
  const float room = box.height - 3 * s;
  for (std::size_t b = 0; b < bars.size(); ++b) {
    const MinimapBar& bar = bars[b];
    if (bar.covered <= 0) continue;
    const float x0 = left + static_cast<float>(b) * pitch;
    const float x1 = std::min(x0 + pitch, axis.right_px());
    const float busy = bar.recorded > 0 ? room * bar.busy / bar.recorded : 0;
    // The GPU's part of a bar that was not recorded.
    if (bar.recorded <= 0) {
      out.styled(SpanStyle::Unknown, x0, box.y, x1, bottom, c.theme[Colour::Ground], c.theme[Colour::Unknown]);
    }
    if (busy > 0) out.solid(x0, bottom - busy, x1, bottom, with_alpha(c.theme[Colour::Kernel], 0.45f));
  }
}

// Iterations per second, over the GPU's load. A column has the mean of those that end in it, or the one that covers it.
void add_rate(const Canvas& c, const TimeAxis& axis, const Rect& box, SpanBatch& out) {
  const auto records = c.state.model.analysis().records();
  if (records.size() < 3) return;
  const float s = c.scale;
  const float pitch = std::max(2.0f, std::floor(2 * s));
  static std::vector<float> rates;
  rates.clear();
  const auto ends_after = [&](Nanoseconds t, std::size_t from) {
    return static_cast<std::size_t>(
        std::upper_bound(records.begin() + static_cast<std::ptrdiff_t>(from), records.end(), t,
                         [](Nanoseconds at, const analysis::IterationRecord& r) { return at < r.end_ns; }) -
        records.begin());
  };
  // The first iteration loads the GPU's code: it would be the scale of all others.
  float most = 0;
  for (float x = axis.left_px(); x < axis.right_px(); x += pitch) {
    const std::size_t first = ends_after(axis.to_ns(x), 1);
    const std::size_t last = ends_after(axis.to_ns(x + pitch), first);
    if (first >= records.size()) break;
    const auto& from = records[first - 1];
    const auto& to = records[std::max(first, last == 0 ? 0 : last - 1)];
    const double seconds = static_cast<double>(to.end_ns - from.end_ns) / 1e9;
    rates.push_back(seconds > 0 ? static_cast<float>(static_cast<double>(to.number - from.number) / seconds) : 0);
    most = std::max(most, rates.back());
  }
  if (most <= 0) return;
  const float bottom = box.y + box.height - s, room = box.height - 5 * s;
  const std::uint32_t ink = c.theme[Colour::Text];
  float x = axis.left_px(), before = bottom - room * rates.front() / most;
  for (const float rate : rates) {
    const float y = bottom - room * rate / most;
    out.solid(x, y - 0.75f * s, x + pitch, y + 0.75f * s, ink);
    if (std::abs(y - before) > 1.5f * s)
      out.solid(x - 0.5f * s, std::min(y, before), x + 0.5f * s, std::max(y, before), ink);
    before = y;
    x += pitch;
  }
}

void add_marked(const Canvas& c, const TimeAxis& axis, const Rect& box, SpanBatch& out) {
  const ShellState& state = c.state;
  const float s = c.scale;
  const float bottom = box.y + box.height;
  if (const auto& range = state.selection.range) {
    const float x0 = std::clamp(axis.to_px(range->first), axis.left_px(), axis.right_px());
    const float x1 = std::clamp(axis.to_px(range->second), axis.left_px(), axis.right_px());
    out.solid(x0, box.y, std::max(x1, x0 + 2 * s), bottom, c.theme[Colour::RangeSelection]);
  }
  // Markers less than a pixel apart are drawn as one.
  float last = -10;
  for (const trace::Event& marker : state.model.analysis().markers()) {
    const float x = axis.to_px(marker.start_ns);
    if (x - last < 1) continue;
    last = x;
    out.solid(x - 0.5f * s, box.y, x + 0.5f * s, bottom, c.theme[Colour::Marker]);
  }
  const auto event_at = state.selection.event ? std::optional(state.selection.event->event.start_ns) : std::nullopt;
  if (event_at) {
    const float x = axis.to_px(*event_at);
    out.solid(x - s, box.y, x + s, bottom, c.theme[Colour::Selection]);
  }
  for (const Bookmark& mark : state.marks.bookmarks) {
    const float x = std::clamp(axis.to_px(mark.at), axis.left_px(), axis.right_px());
    out.solid(x - 0.75f * s, box.y, x + 0.75f * s, bottom, c.theme[Colour::Simulated]);
    out.solid(x - 3 * s, box.y, x + 3 * s, box.y + 6 * s, c.theme[Colour::Simulated], 3 * s);
  }
  if (!state.search.open) return;
  for (const float x : found_ticks(state.search, axis)) {
    out.solid(x - s, bottom - 6 * s, x + s, bottom, c.theme[Colour::Accent]);
  }
}

void add_window(const Canvas& c, const TimeAxis& axis, const Rect& box, std::pair<float, float> window, Drag hot,
                SpanBatch& out) {
  const auto [x0, x1] = window;
  const float s = c.scale;
  const float bottom = box.y + box.height;
  // Dim the parts that are not in view.
  const std::uint32_t shade = with_alpha(c.theme[Colour::Ground], 0.25f);
  out.solid(axis.left_px(), box.y, x0, bottom, shade);
  out.solid(x1, box.y, axis.right_px(), bottom, shade);
  out.styled(SpanStyle::Outline, x0, box.y, x1, bottom, with_alpha(c.theme[Colour::Accent], 0.16f),
             c.theme[Colour::Accent], 3 * s);
  const float grip = std::min(14 * s, box.height / 2);
  for (const auto& [x, kind] : {std::pair{x0, Drag::LeftEdge}, std::pair{x1, Drag::RightEdge}}) {
    if (x1 - x0 < 24 * s && hot != kind) continue;
    const float half = (hot == kind ? 3 : 2) * s;
    out.solid(x - half, box.y + (box.height - grip) / 2, x + half, box.y + (box.height + grip) / 2,
              c.theme[Colour::Accent], half);
  }
}

Drag kind_at(float x, std::pair<float, float> window, float scale) {
  const float reach = kEdgeReach * scale;
  const auto [x0, x1] = window;
  // In a narrow window, the middle third moves it.
  const float inside = std::min(reach, (x1 - x0) / 3);
  if (x >= x0 - reach && x < x0 + inside) return Drag::LeftEdge;
  if (x > x1 - inside && x <= x1 + reach) return Drag::RightEdge;
  return x >= x0 && x <= x1 ? Drag::Window : Drag::Outside;
}

void drag_window(const Canvas& c, const TimeAxis& axis, Nanoseconds begin) {
  ViewControl& view = c.state.view;
  MinimapDrag& drag = c.state.navigation.minimap;
  const float x = std::clamp(ImGui::GetIO().MousePos.x, axis.left_px(), axis.right_px());
  const Nanoseconds at = axis.to_ns(x);
  if (drag.kind == Drag::Window) {
    const TimeAxis& now = view.axis();
    const auto middle = at + static_cast<Nanoseconds>(drag.grab_ns);
    view.pan((now.left_px() + now.right_px()) / 2 - now.to_px(middle));
  } else {
    const Nanoseconds other = begin + static_cast<Nanoseconds>(drag.grab_ns);
    const Nanoseconds low = std::min(at, other);
    view.place(low, std::max({at, other, low + axis.length_ns(2)}));  // at least two pixels on the strip
  }
}

// A click outside the window jumps there. A drag outside it defines a new window.
void handle_drag(const Canvas& c, const TimeAxis& axis, Nanoseconds begin, std::pair<float, float> window) {
  ViewControl& view = c.state.view;
  MinimapDrag& drag = c.state.navigation.minimap;
  const float x = std::clamp(ImGui::GetIO().MousePos.x, axis.left_px(), axis.right_px());
  if (ImGui::IsItemActivated()) {
    const TimeAxis& now = view.axis();
    drag = {kind_at(x, window, c.scale), false, x};
    const Nanoseconds middle = now.to_ns((now.left_px() + now.right_px()) / 2);
    const auto from_begin = [&](Nanoseconds t) { return static_cast<double>(t - begin); };
    if (drag.kind == Drag::Window) drag.grab_ns = static_cast<double>(middle - axis.to_ns(x));
    if (drag.kind == Drag::LeftEdge) drag.grab_ns = from_begin(now.end_ns());
    if (drag.kind == Drag::RightEdge) drag.grab_ns = from_begin(now.begin_ns());
    if (drag.kind == Drag::Outside) drag.grab_ns = from_begin(axis.to_ns(x));
  }
  if (drag.kind == Drag::None) return;
  if (ImGui::IsItemActive() && !drag.moved && std::abs(x - drag.x0) > kMinimapSlop * c.scale) {
    drag.moved = true;
    view.leave();
  }
  if (ImGui::IsItemActive()) {
    if (drag.moved) drag_window(c, axis, begin);
    return;
  }
  if (drag.kind == Drag::Outside && !drag.moved) view.centre(axis.to_ns(drag.x0));
  drag = {};
}

void handle_wheel(const Canvas& c, const TimeAxis& axis) {
  const ImGuiIO& io = ImGui::GetIO();
  if (io.MouseWheel == 0) return;
  // Zoom about the instant under the mouse if it is in view, otherwise about the middle.
  const TimeAxis& view = c.state.view.axis();
  const float x = view.to_px(axis.to_ns(io.MousePos.x));
  const bool in_view = x >= view.left_px() && x <= view.right_px();
  const double step = io.KeyCtrl ? 1.05 : io.KeyShift ? 1.5 : 1.25;
  c.state.view.zoom(std::pow(step, static_cast<double>(io.MouseWheel)),
                    in_view ? x : (view.left_px() + view.right_px()) / 2);
}

void draw_minimap_names(const Canvas& c, const TimeAxis& axis, const Rect& box, Nanoseconds length) {
  const float s = c.scale;
  const float x = box.x + 16 * s;
  const float width = axis.left_px() - x - 4 * s;
  const analysis::Pace& pace = c.state.calm.shown.pace;
  const double rate = pace.known() ? 1e9 / pace.ns : 0;
  const std::string now = rate >= 10 ? fmt::format("{}/s", base::format_count(std::llround(rate)))
                          : rate > 0 ? fmt::format("{:.2g}/s", rate)
                                     : base::format_duration(length);
  const float line = std::min(16 * s, box.height / 2);
  const Label labels[2] = {{x, box.y + (box.height - 2 * line) / 2, width, c.theme[Colour::Text], FontRole::Small,
                            c.state.model.live() ? tr("whole run") : tr("whole trace"), line},
                           {x, box.y + box.height / 2, width, c.theme[Colour::Muted], FontRole::MonoSmall, now, line}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
}

void draw_whole_run(const Canvas& c, const TimeAxis& place, const Rect& box) {
  ShellState& state = c.state;
  NavigationState& navigation = state.navigation;
  const auto [begin, end] = state.model.extent();
  const TimeAxis axis = place.fitted(begin, std::max(end, begin + 1000));
  if (navigation.whole_run_generation != state.model.generation()) {
    navigation.whole_run_generation = state.model.generation();
    navigation.whole_run.reset();
    navigation.minimap = {};
    navigation.drag = {};
    navigation.scroll = {};
    navigation.arrival.reset();
  }
  navigation.whole_run.update(state.model.trace(), state.model.analysis().records(), begin, end, state.model.live());
  state.in_motion = state.in_motion || !navigation.whole_run.complete();

  ImGui::SetCursorScreenPos({axis.left_px(), box.y});
  ImGui::InvisibleButton("##whole", {axis.width_px(), box.height});
  own_wheel();
  note_place(c, "whole_run");
  const bool hovered = ImGui::IsItemHovered();
  const auto before = window_of(axis, state.view.axis(), c.scale);
  handle_drag(c, axis, begin, before);
  if (hovered) handle_wheel(c, axis);
  Drag hot = navigation.minimap.kind;
  if (hot == Drag::None && hovered) hot = kind_at(ImGui::GetIO().MousePos.x, before, c.scale);
  if (hot == Drag::LeftEdge || hot == Drag::RightEdge) ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeEW);

  static SpanBatch batch;
  batch.clear();
  batch.solid(axis.left_px(), box.y, axis.right_px(), box.y + box.height, c.theme[Colour::Row]);
  add_bins(c, axis, box, batch);
  add_rate(c, axis, box, batch);
  add_marked(c, axis, box, batch);
  const auto window = window_of(axis, state.view.axis(), c.scale);
  add_window(c, axis, box, window, hot, batch);
  state.places["whole_run.window"] = {window.first, box.y, window.second - window.first, box.height};
  ImDrawList& list = *ImGui::GetWindowDrawList();
  add_to_draw_list(list, c.spans, batch);
  draw_minimap_names(c, axis, box, end - begin);
  if (hovered && navigation.minimap.kind == Drag::None) {
    const Nanoseconds zero = state.model.live() ? 0 : begin;
    const std::string tip =
        tr("{} of {}\ngreen: GPU busy · line: iterations per second",
           base::format_duration(axis.to_ns(ImGui::GetIO().MousePos.x) - zero), base::format_duration(end - begin));
    ImGui::SetTooltip("%s", tip.c_str());
  }
}

}  // namespace

float minimap_height(const ShellState& state, bool room) { return (room ? kMostHeight : kLeastHeight) * state.scale(); }

void draw_minimap(const Canvas& c) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  const float gap = kMinimapGap * c.scale;
  draw_whole_run(c, c.state.view.axis(), {at.x, at.y + gap, size.x, std::max(1.0f, size.y - 2 * gap)});
}

}  // namespace lanescope::ui
