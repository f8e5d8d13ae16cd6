#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/gl/span_renderer.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kHeight = 34;
constexpr float kGap = 6;

// The whole run in one strip: how busy the GPU was, and where the view is. A press moves the view there.
void draw_whole_run(const Canvas& c, const TimeAxis& place, const Rect& box) {
  ShellState& state = c.state;
  const float s = c.scale;
  const auto [begin, end] = state.model.extent();
  const TimeAxis axis = place.fitted(begin, std::max(end, begin + 1000));
  state.whole_run.prepare(state.model.analysis().records(), axis, state.model.live_edge());
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const Label label{box.x + 16 * s,  box.y,     axis.left_px() - box.x - 20 * s, c.theme[Colour::Text], FontRole::Body,
                    tr("whole run"), box.height};
  draw_labels(list, c.fonts, {&label, 1});
  static SpanBatch batch;
  batch.clear();
  batch.solid(axis.left_px(), box.y, axis.right_px(), box.y + box.height, c.theme[Colour::Row]);
  const auto& busy = state.whole_run.columns(PlotKind::GpuBusy);
  const auto& waiting = state.whole_run.columns(PlotKind::CpuWaiting);
  for (std::size_t x = 0; x + 1 < busy.size(); x += 2) {
    if (std::isnan(busy[x].mean)) continue;
    const float at = axis.left_px() + static_cast<float>(x);
    const float height = (box.height - 4 * s) * std::clamp(busy[x].mean / 100, 0.0f, 1.0f);
    const float wait = (box.height - 4 * s) * std::clamp(waiting[x].mean / 100, 0.0f, 1.0f);
    const float bottom = box.y + box.height - 2 * s;
    batch.solid(at, bottom - height, at + 1.5f, bottom, with_alpha(c.theme[Colour::Kernel], 0.55f));
    batch.solid(at, bottom - wait, at + 1.5f, bottom, with_alpha(c.theme[Colour::Wait], 0.5f));
  }
  if (state.model.analysis().records().empty()) {
    // A trace without iterations: its kernels, as the timeline would draw them.
    const RowContext context{state.model.trace(), nullptr, axis, c.theme, state.model.live_edge(), s};
    const trace::Trace::ReadLock lock(context.trace);
    for (std::size_t l = 0; l < context.trace.lane_count(); ++l) {
      if (context.trace.lane(static_cast<trace::LaneId>(l)).info().kind != trace::LaneKind::Kernels) continue;
      LaneRow(static_cast<trace::LaneId>(l)).prepare(context, box.y, batch);
    }
    batch.labels.clear();
  }
  for (const trace::Event& marker : state.model.analysis().markers()) {
    const float x = axis.to_px(marker.start_ns);
    batch.solid(x - s, box.y, x + s, box.y + box.height, c.theme[Colour::Marker]);
  }
  const TimeAxis& view = state.view.axis();
  float x0 = std::clamp(axis.to_px(view.begin_ns()), axis.left_px(), axis.right_px());
  float x1 = std::clamp(axis.to_px(view.end_ns()), axis.left_px(), axis.right_px());
  if (x1 - x0 < 6 * s) {
    const float middle = std::clamp((x0 + x1) / 2, axis.left_px() + 3 * s, axis.right_px() - 3 * s);
    x0 = middle - 3 * s;
    x1 = middle + 3 * s;
  }
  batch.styled(SpanStyle::Outline, x0, box.y, x1, box.y + box.height, with_alpha(c.theme[Colour::Accent], 0.25f),
               c.theme[Colour::Accent], 3 * s);
  add_to_draw_list(list, c.spans, batch);
  ImGui::SetCursorScreenPos({axis.left_px(), box.y});
  ImGui::InvisibleButton("##whole", {axis.width_px(), box.height});
  note_place(c, "whole_run");
  if (ImGui::IsItemActive()) {
    const Nanoseconds t = axis.to_ns(ImGui::GetIO().MousePos.x);
    state.view.pan(view.to_px(view.begin_ns()) + view.width_px() / 2 - view.to_px(t));
  }
}

}  // namespace

float minimap_height(const ShellState& state) { return (kHeight + 2 * kGap) * state.scale(); }

void draw_minimap(const Canvas& c) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const ImVec2 size = ImGui::GetContentRegionAvail();
  draw_whole_run(c, c.state.view.axis(), {at.x, at.y + kGap * c.scale, size.x, kHeight * c.scale});
}

}  // namespace lanescope::ui
