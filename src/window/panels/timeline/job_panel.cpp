// The bands of several GPUs, above the timeline and on its axis: a heading, who arrived last, and a band for each GPU.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "analysis/stragglers.h"
#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "shell/job.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kHeading = 24, kJobBelow = 2;
constexpr float kSlop = 4;
constexpr float kMostShare = 0.5f;  // of the room for the lanes

JobFrame job_frame(const Canvas& c) {
  const ShellState& state = c.state;
  return {state.model.trace(),
          &state.model.analysis(),
          state.model.analysis().links().owners(),
          state.job.collectives(),
          c.theme,
          state.model.live_edge(),
          c.scale,
          state.job.bands(),
          state.job.selected};
}

void draw_job_heading(const Canvas& c, const Rect& area) {
  ShellState& state = c.state;
  JobState& job = state.job;
  const float s = c.scale;
  const std::string text = job.heading();
  const float left = area.x + (job.folds() ? 30 : 16) * s;
  const float width = text_width(c.fonts, FontRole::SmallBold, text);
  if (job.folds()) {
    ImGui::SetCursorScreenPos({area.x + 12 * s, area.y});
    if (press_area(c, "job_fold", {left - area.x - 12 * s + width, kHeading * s})) job.unfolded = !job.unfolded;
    note_control(c, "job_fold");
    if (ImGui::IsItemHovered()) {
      ImGui::SetTooltip("%s", job.unfolded ? tr("show the worst three and one in the middle") : tr("show all"));
    }
    ImDrawList& list = *ImGui::GetWindowDrawList();
    const ImVec2 mid{area.x + 20 * s, area.y + kHeading * s / 2};
    const float r = 3.5f * s;
    if (job.unfolded) {
      list.AddTriangleFilled({mid.x - r, mid.y - 0.6f * r}, {mid.x + r, mid.y - 0.6f * r}, {mid.x, mid.y + 0.8f * r},
                             c.theme[Colour::Dim]);
    } else {
      list.AddTriangleFilled({mid.x - 0.6f * r, mid.y - r}, {mid.x + 0.8f * r, mid.y}, {mid.x - 0.6f * r, mid.y + r},
                             c.theme[Colour::Dim]);
    }
  }
  const float says_left = left + width + 16 * s;
  const std::string& says = job.sentence();
  const Label labels[] = {{left, area.y, width + 2 * s, c.theme[Colour::Dim], FontRole::SmallBold, text, kHeading * s},
                          {says_left, area.y, area.x + area.width - says_left - 16 * s, c.theme[Colour::Muted],
                           FontRole::Small, says, kHeading * s}};
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  ImGui::SetCursorScreenPos({says_left, area.y});
  ImGui::InvisibleButton("##job_says", {std::max(1.0f, area.x + area.width - says_left - 16 * s), kHeading * s});
  note_place(c, "job_sentence");
  if (ImGui::IsItemHovered() && !says.empty()) {
    ImGui::BeginTooltip();
    ImGui::PushTextWrapPos(460 * s);
    ImGui::TextUnformatted(says.c_str());
    ImGui::PopTextWrapPos();
    ImGui::EndTooltip();
  }
}

void collective_tooltip(const Canvas& c, std::size_t number) {
  const ShellState& state = c.state;
  const analysis::Collectives& all = state.job.collectives();
  const analysis::Collective& one = all.all[number];
  const trace::Owners& owners = state.model.analysis().links().owners();
  const std::string last = analysis::gpu_name(owners, one.parts[one.last].gpu);
  base::Nanoseconds waited = 0, transfer = 0;
  for (const analysis::CollectivePart& part : one.parts) {
    waited += one.waited_ns(part);
    transfer = std::max(transfer, one.transfer_ns(part));
  }
  const std::string& because = why_late(c.state, number);
  std::string text = tr("{} of {} GPUs", one.operation, one.parts.size());
  if (one.bytes > 0) text += " · " + base::format_bytes(static_cast<std::int64_t>(one.bytes));
  if (const double rate = analysis::bus_rate(one); rate > 0) {
    text += " · " + tr("each link carries {}", analysis::rate_text(rate));
  }
  text +=
      "\n" +
      tr("{} arrived last, {} after the one before it", last,
         base::format_duration(one.last_start_ns - one.last_but_one_ns)) +
      "\n" +
      tr("the others waited {} in all; transfer {}", base::format_duration(waited), base::format_duration(transfer));
  if (!because.empty()) text += "\n" + tr("before it, {}", because);
  text += "\n" + tr("click: what {} did before", last);
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(420 * c.scale);
  ImGui::TextUnformatted(text.c_str());
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
}

std::string band_text(const analysis::Collectives& all, const JobBand& band) {
  std::string text = band.name;
  const auto of = std::ranges::find(all.gpus, band.gpu, &analysis::GpuCollectives::gpu);
  if (of != all.gpus.end()) {
    const auto time = [](base::Nanoseconds ns) { return base::format_duration(ns); };
    text += "\n" + tr("last in {} of {} collectives; the others waited {} for it", of->arrived_last, of->count,
                      time(of->delays_ns));
    text += "\n" + tr("waits {} · transfers {}", time(of->wait_ns), time(of->transfer_ns));
    text += "\n" + tr("communicates {}, and computes nothing meanwhile for {}", time(of->communication_ns),
                      time(of->exposed_ns));
  }
  return text + "\n" + tr("click: scroll to its lanes");
}

void handle_mouse(const Canvas& c, const JobFrame& frame, const Rect& area) {
  ShellState& state = c.state;
  const TimeAxis& axis = state.view.axis();
  JobPress& press = state.job_press;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  ImGui::SetCursorScreenPos({area.x, area.y});
  ImGui::InvisibleButton("##job", {area.width, std::max(1.0f, area.height)});
  own_wheel();
  note_place(c, "job");
  const bool hovered = ImGui::IsItemHovered();
  const bool over_axis = mouse.x >= axis.left_px() && mouse.x <= axis.right_px();
  if (ImGui::IsItemActivated()) press = {mouse.x, mouse.y, true, false};
  if (press.on && ImGui::IsItemActive()) {
    press.moved = press.moved || std::hypot(mouse.x - press.x0, mouse.y - press.y0) > kSlop * c.scale;
    if (press.moved && press.x0 >= axis.left_px() && io.MouseDelta.x != 0) state.view.pan(io.MouseDelta.x);
  } else if (press.on) {
    press.on = false;
    if (!press.moved && over_axis) {
      const auto collective = state.job_bands.collective_at(frame, axis, mouse.x, mouse.y);
      if (collective) {
        go_to_late(state, *collective);
      } else {
        state.job.selected.reset();
        state.selection.clear();
      }
    } else if (!press.moved) {
      if (const auto band = state.job_bands.band_at(mouse.y)) reveal_gpu(state, frame.bands[*band].gpu);
    }
  }
  if (!hovered || io.MouseDown[0]) return;
  if (io.MouseWheel != 0 && over_axis) {
    const double step = io.KeyCtrl ? 1.05 : io.KeyShift ? 1.5 : 1.25;
    state.view.zoom(std::pow(step, static_cast<double>(io.MouseWheel)), mouse.x);
  }
  if (!over_axis) {
    if (const auto band = state.job_bands.band_at(mouse.y)) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::SetTooltip("%s", band_text(state.job.collectives(), frame.bands[*band]).c_str());
    }
    return;
  }
  state.plots.view.pointed_px = mouse.x;
  if (const auto collective = state.job_bands.collective_at(frame, axis, mouse.x, mouse.y)) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    collective_tooltip(c, *collective);
  }
}

}  // namespace

float job_height(const Canvas& c, float room) {
  const ShellState& state = c.state;
  if (!state.job.visible() || state.job.bands().empty()) return 0;
  const float wanted = kHeading * c.scale +
                       JobBands::height(state.job.bands().size(), !state.job.collectives().all.empty(), c.scale) +
                       kJobBelow * c.scale;
  return std::min(wanted, room * kMostShare);
}

void draw_job(const Canvas& c) {
  ShellState& state = c.state;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  const JobFrame frame = job_frame(c);
  const TimeAxis& axis = state.view.axis();
  draw_job_heading(c, {at.x, at.y, width, kHeading * s});
  // Many bands scroll.
  const float top = at.y + kHeading * s;
  const float room = ImGui::GetWindowPos().y + ImGui::GetWindowHeight() - top;
  const float height = JobBands::height(frame.bands.size(), !frame.collectives.all.empty(), s);
  float& scroll = state.job_scroll;
  if (ImGui::IsWindowHovered() && ImGui::GetIO().MouseWheel != 0 && ImGui::GetIO().MousePos.x < axis.left_px()) {
    scroll -= ImGui::GetIO().MouseWheel * 40 * s;
  }
  scroll = std::clamp(scroll, 0.0f, std::max(0.0f, height - room));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.PushClipRect({at.x, top}, {at.x + width, top + room}, true);
  const Rect area{at.x, top - scroll, width, height};
  state.job_bands.prepare(frame, axis, area);
  handle_mouse(c, frame, {at.x, top, width, std::min(room, height)});
  list.PushClipRect({axis.left_px(), top}, {axis.right_px(), top + room}, true);
  add_to_draw_list(list, c.spans, state.job_bands.rows());
  draw_labels(list, c.fonts, state.job_bands.rows().labels);
  draw_ribbons(list, state.job_bands.ribbons(), s);
  list.PopClipRect();
  add_to_draw_list(list, c.spans, state.job_bands.names());
  draw_labels(list, c.fonts, state.job_bands.names().labels);
  list.PopClipRect();
  for (std::size_t b = 0; b < state.job_bands.places().size(); ++b) {
    state.places["job.band." + frame.bands[b].name] = state.job_bands.places()[b];
  }
}

}  // namespace lanescope::ui
