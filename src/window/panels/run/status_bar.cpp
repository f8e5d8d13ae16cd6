#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <vector>

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
  status.text = fmt::format("{} {} · {}", base::format_count(static_cast<std::int64_t>(counts.recorded)), tr("events"),
                            tr(model.title()));
  if (counts.clamped) {
    status.text +=
        fmt::format(" · {} {}", base::format_count(static_cast<std::int64_t>(counts.clamped)), tr("clamped"));
  }
  return status;
}

struct KeyHint {
  std::string keys, says;
};

/// The keys that mean something now and are used most.
std::vector<KeyHint> key_hints(const ShellState& state) {
  std::vector<KeyHint> hints;
  const auto key = [](Action action) { return key_text(info(action).keys.front()); };
  const auto add = [&](Action action, const char* says) {
    const ActionInfo& row = info(action);
    if (row.keys.front().key == 0 || (row.why_disabled && !row.why_disabled(state).empty())) return;
    hints.push_back({key(action), says});
  };
  if (state.model.steering()) {
    add(Action::FlipSide, tr("flip"));
    const auto& more = info(Action::MoreReads);
    if (more.why_disabled(state).empty()) {
      hints.push_back({key(Action::MoreReads) + " " + key(Action::FewerReads), tr("log interval")});
    }
    add(Action::PauseRun, tr("pause"));
  } else {
    add(Action::Fit, tr("fit"));
    add(Action::CopyDetails, tr("copy"));
  }
  add(Action::Help, tr("keys"));
  return hints;
}

// At the right edge, as many as there is room for. Returns where they begin.
float draw_key_hints(const Canvas& c, const Rect& area) {
  const float s = c.scale;
  std::vector<Label> labels;
  float x = area.x + area.width;
  const std::vector<KeyHint> hints = key_hints(c.state);
  for (auto hint = hints.rbegin(); hint != hints.rend(); ++hint) {
    const float keys = text_width(c.fonts, FontRole::SmallBold, hint->keys);
    const float says = text_width(c.fonts, FontRole::Small, hint->says);
    const float from = x - says - 6 * s - keys;
    if (from < area.x) break;
    labels.push_back(
        {from, area.y, keys + 2, c.theme.as_text(Colour::Muted), FontRole::SmallBold, hint->keys, area.height});
    labels.push_back(
        {x - says, area.y, says + 2, c.theme.as_text(Colour::Muted), FontRole::Small, hint->says, area.height});
    x = from - 18 * s;
  }
  draw_labels(*ImGui::GetWindowDrawList(), c.fonts, labels);
  return x;
}

// It stands in what room is left, and moves nothing.
void draw_busy(const Canvas& c, const Rect& area) {
  const double coarse = c.state.figures.coarse_frames_per_second;
  if (coarse <= 0) return;
  const std::string says =
      fit_text(c.fonts, FontRole::MonoSmall, tr("machine busy: coarser picture, {:.0f} frames/s", coarse), area.width);
  draw_label(c, area, c.theme.as_text(Colour::Wait), FontRole::MonoSmall, says, LabelAlign::Centre);
  if (ImGui::IsMouseHoveringRect({area.x, area.y}, {area.x + area.width, area.y + area.height})) {
    ImGui::SetTooltip("%s", tr("This machine is busy. Every frame shows the lanes as they are now;\n"
                               "the rest is drawn in turns, until there is time for all of it."));
  }
}

}  // namespace

void draw_status_bar(const Canvas& c) {
  ShellState& state = c.state;
  const Model& model = state.model;
  const float s = c.scale;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  state.places["status"] = {at.x, at.y, size.x, size.y};
  const StatusText status = model.source().capture_monitor() ? capture_status(model.capture()) : file_status(model);
  const float left = at.x + 16 * s, right = at.x + size.x - 16 * s;
  const float wanted = text_width(c.fonts, FontRole::Small, status.text) + 2;
  const float text_w = std::min(wanted, right - left);
  ImGui::SetCursorScreenPos({left, at.y + 3 * s});
  if (press_area(c, "##capture", {std::max(1.0f, text_w), 22 * s})) {
    state.requests.actions.push_back(Action::CaptureHealth);
  }
  note_control(c, "status.capture");
  const bool hovered = ImGui::IsItemHovered();
  if (hovered) {
    const std::string whole = !status.aside.empty() ? status.aside : wanted > text_w ? status.text : "";
    ImGui::SetTooltip("%s", ((whole.empty() ? "" : whole + "\n") + tr("click: capture health")).c_str());
  }
  const Colour ink = status.warning ? Colour::Wait : hovered ? Colour::Text : Colour::Muted;
  draw_label(c, {left, at.y, text_w, size.y}, c.theme.as_text(ink), FontRole::Small,
             fit_text(c.fonts, FontRole::Small, status.text, text_w));
  const float rest = left + text_w + 18 * s;
  const float hints = draw_key_hints(c, {rest, at.y, right - rest, size.y});
  draw_busy(c, {rest, at.y, std::max(0.0f, hints - rest), size.y});
}

}  // namespace lanescope::ui
