#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>

#include "base/translate.h"
#include "render/labels.h"
#include "window/panels/run/run_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

StatusText file_status(const Model& model) {
  const trace::TraceCounts counts = model.trace().counts();
  StatusText status;
  status.text = fmt::format("{} · {} {}", tr(model.title()),
                            base::format_count(static_cast<std::int64_t>(counts.recorded)), tr("events"));
  if (counts.clamped) {
    status.text +=
        fmt::format(" · {} {}", base::format_count(static_cast<std::int64_t>(counts.clamped)), tr("clamped"));
  }
  return status;
}

// A few of the colours, and what they say: a click opens the legend.
void draw_colour_chip(const Canvas& c, const Rect& r) {
  ShellState& state = c.state;
  const float s = c.scale;
  ImGui::SetCursorScreenPos({r.x, r.y});
  if (press_area(c, "##colours", {r.width, r.height})) state.requests.actions.push_back(Action::ColourLegend);
  note_control(c, "status.colours");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    ImGui::SetTooltip(
        "%s", fmt::format("{} ({})\n{} ({})", tr(info(Action::ColourLegend).text),
                          key_text(info(Action::ColourLegend).keys.front()), tr(info(Action::NextColouring).text),
                          key_text(info(Action::NextColouring).keys.front()))
                  .c_str());
  }
  const ColourBy by = state.colours.colouring.by;
  std::array<std::uint32_t, 4> swatches{c.theme[Colour::Phase], c.theme[Colour::Launch], c.theme[Colour::Kernel],
                                        c.theme[Colour::CopyH2D]};
  for (std::size_t i = 0; i < swatches.size() && by != ColourBy::Kind; ++i) {
    swatches[i] = by == ColourBy::Duration ? c.theme.ramp[i + 2] : c.theme.categories[i];
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = r.y + r.height / 2;
  for (std::size_t i = 0; i < swatches.size(); ++i) {
    const float x = r.x + 7 * s * static_cast<float>(i);
    list.AddRectFilled({x, y - 5 * s}, {x + 6 * s, y + 5 * s}, swatches[i], s);
  }
  const Label label{
      r.x + 34 * s,     r.y,
      r.width - 30 * s, c.theme.as_text(hovered || state.colours.legend_open ? Colour::Text : Colour::Muted),
      FontRole::Small,  tr("colours {}", colour_by_title(by)),
      r.height};
  draw_labels(list, c.fonts, {&label, 1});
}

}  // namespace

void draw_status_bar(const Canvas& c) {
  ShellState& state = c.state;
  const Model& model = state.model;
  const StatusText status = model.source().capture_monitor() ? capture_status(model.capture()) : file_status(model);
  const auto key = [](Action action) { return key_text(info(action).keys.front()); };
  const std::string middle =
      fmt::format("{} {}   {} {}   {} {}   {} {}", key(Action::Fit), tr("fit"), key(Action::PauseRun), tr("pause"),
                  key(Action::Screenshot), tr("screenshot"), key(Action::Help), tr("keys"));
  const double coarse = state.figures.coarse_frames_per_second;
  const std::string right = coarse > 0 ? tr("machine busy: coarser picture, {:.0f} frames/s", coarse)
                                       : fmt::format("{} {:4.1f} ms", tr("frame"), state.figures.frame_ms);
  const ImVec2 at = ImGui::GetWindowPos();
  const ImVec2 size = ImGui::GetWindowSize();
  const float s = c.scale;
  const float margin = 16 * s;
  const float right_width = coarse > 0 ? text_width(c.fonts, FontRole::MonoSmall, right) + 6 * s : 110 * s;
  const float chip_width = text_width(c.fonts, FontRole::Small, tr("colours by duration")) + 44 * s;
  const float right_x = at.x + size.x - margin - right_width - chip_width;
  const float left_x = at.x + margin;
  const float text_w = std::min(text_width(c.fonts, FontRole::Small, status.text) + 2, right_x - left_x - 12 * s);
  const float aside_x = left_x + text_w + 14 * s;

  // The keys are in the middle, or move aside for status.aside as long as both fit.
  const float middle_width = text_width(c.fonts, FontRole::Small, middle) + 8 * s;
  const float wanted = status.aside.empty() ? 0 : text_width(c.fonts, FontRole::Small, status.aside) + 24 * s;
  const float room = right_x - middle_width - aside_x - 4 * s;
  const float least_aside = std::max(std::min(wanted, room), status.aside.empty() ? 0.0f : 150 * s);
  const float middle_x = std::max(at.x + (size.x - middle_width) / 2, aside_x + least_aside);
  const bool middle_fits = middle_x + middle_width < right_x;
  const float aside_width = std::max(0.0f, (middle_fits ? middle_x : right_x) - aside_x - 18 * s);
  const std::string aside = fit_text(c.fonts, FontRole::Small, status.aside, aside_width);
  const float aside_shown = aside.empty() ? 0 : text_width(c.fonts, FontRole::Small, aside);

  const float click_width = aside.empty() ? text_w : aside_x - left_x + aside_shown;
  ImGui::SetCursorScreenPos({left_x, at.y + 3 * s});
  if (press_area(c, "##capture", {std::max(1.0f, click_width), 22 * s})) {
    state.requests.actions.push_back(Action::CaptureHealth);
  }
  note_control(c, "status.capture");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    const std::string tip = (status.aside.empty() ? "" : status.aside + "\n") + tr("click: capture health") + " (" +
                            key(Action::CaptureHealth) + ")";
    ImGui::SetTooltip("%s", tip.c_str());
  }
  const Colour ink = status.warning ? Colour::Wait : hovered ? Colour::Text : Colour::Muted;
  std::vector<Label> labels{
      {left_x, at.y, text_w, c.theme.as_text(ink), FontRole::Small, status.text, size.y},
      {aside_x, at.y, aside_shown + 2, c.theme[hovered ? Colour::Muted : Colour::Dim], FontRole::Small, aside, size.y},
      {right_x + chip_width, at.y, right_width, c.theme.as_text(coarse > 0 ? Colour::Wait : Colour::Muted),
       FontRole::MonoSmall, right, size.y, LabelAlign::Right}};
  if (middle_fits) {
    labels.push_back({middle_x, at.y, middle_width, c.theme[Colour::Dim], FontRole::Small, middle, size.y});
  }
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  if (coarse > 0) {
    const ImVec2 from{right_x + chip_width, at.y};
    if (ImGui::IsMouseHoveringRect(from, {from.x + right_width, at.y + size.y})) {
      ImGui::SetTooltip("%s", tr("This machine is busy. Every frame shows the lanes as they are now;\n"
                                 "the rest is drawn in turns, until there is time for all of it."));
    }
  }
  draw_colour_chip(c, {right_x, at.y + 3 * s, chip_width - 12 * s, 22 * s});
  state.places["status"] = {at.x, at.y, size.x, size.y};
}

}  // namespace lanescope::ui
