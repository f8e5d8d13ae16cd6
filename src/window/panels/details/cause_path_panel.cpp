#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "render/labels.h"
#include "shell/selecting.h"
#include "trace/names.h"
#include "window/panels/details/details_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::Bubble;
using analysis::BubbleCause;
using base::tr;

// One station of the path: its number as on the timeline, what happens, how long it takes. A click selects it.
bool station(const Canvas& c, int number, const std::string& says, const std::string& value, bool can_go) {
  const float s = c.scale;
  const float width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float value_width = text_width(c.fonts, FontRole::MonoSmall, value);
  const float text_left = 24 * s;
  const std::string lines = wrapped_lines(c, FontRole::Small, says, width - text_left - value_width - 10 * s);
  const auto count = 1 + std::count(lines.begin(), lines.end(), '\n');
  const float height = static_cast<float>(count) * 17 * s + 5 * s;
  ImGui::PushID(number);
  const bool clicked = press_area(c, "##station", {width, height}) && can_go;
  ImGui::PopID();
  note_control(c, "cause." + std::to_string(number));
  const bool lit = can_go && ImGui::IsItemHovered();
  if (lit) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  ImDrawList& list = *ImGui::GetWindowDrawList();
  if (lit)
    list.AddRectFilled({at.x - 4 * s, at.y}, {at.x + width + 4 * s, at.y + height}, c.theme[Colour::PanelHovered],
                       4 * s);
  const float r = 8.5f * s;
  const ImVec2 centre{at.x + r, at.y + r + 2 * s};
  list.AddCircleFilled(centre, r, c.theme[Colour::SelectionLink]);
  std::vector<Label> labels{{centre.x - r, centre.y - r, 2 * r, c.theme[Colour::Ground], FontRole::SmallBold,
                             std::to_string(number), 2 * r, LabelAlign::Centre},
                            {at.x + width - value_width - 1, at.y + 2 * s, value_width + 2, c.theme[Colour::Text],
                             FontRole::MonoSmall, value, 17 * s}};
  float y = at.y + 2 * s;
  for (std::size_t begin = 0; begin <= lines.size(); y += 17 * s) {
    const std::size_t end = std::min(lines.find('\n', begin), lines.size());
    labels.push_back({at.x + text_left, y, width - text_left, c.theme[Colour::Muted], FontRole::Small,
                      lines.substr(begin, end - begin), 17 * s});
    begin = end + 1;
  }
  draw_labels(list, c.fonts, labels);
  return clicked;
}

std::string name_of(const Canvas& c, const EventRef& event) {
  return trace::short_kernel_name(c.state.model.trace().names().text(event.event.name));
}

void go_to(const Canvas& c, const std::optional<EventRef>& event) {
  if (!event) return;
  const EventRef target = *event;  // a copy: selecting clears the path that it may be part of
  select_event(c.state, target);
  const trace::Event& e = target.event;
  const TimeAxis& axis = c.state.view.axis();
  if (e.start_ns < axis.begin_ns() || e.end_ns > axis.end_ns())
    c.state.view.show(e.start_ns, std::max(e.end_ns, e.start_ns + 1));
}

std::string formatted(const char* pattern, const std::string& name) { return fmt::format(fmt::runtime(pattern), name); }

// "41.2 us = 9.0 wake-up + 20.1 CPU + 12.1 launch": the parts add up.
std::string parts_text(const Bubble& b) {
  std::string says;
  const auto part = [&](Nanoseconds ns, const char* what) {
    if (ns > 0) says += (says.empty() ? "" : " + ") + base::format_duration(ns) + " " + what;
  };
  part(b.wake_ns, b.cause == BubbleCause::Loader ? tr("until the data arrives") : tr("until the CPU returns"));
  part(b.cpu_ns, tr("CPU until it launches"));
  part(b.launch_ns, tr("until that starts"));
  return says;
}

// The sum: the wait by itself costs nothing, the bubble does.
void draw_sum(const Canvas& c, const CausePath& path, const Repeats& repeats) {
  std::string says;
  if (path.wait && trace::is_blocking(path.wait->event)) {
    const trace::CallParts parts = trace::parts_of(path.wait->event);
    says = formatted(tr("The CPU is blocked for {}"),
                     base::format_duration(parts.waiting + parts.copying + parts.returning));
    says += path.bubble ? tr("; that alone is no loss. ") : tr("; the GPU has other work meanwhile: no loss. ");
  }
  if (path.bubble && path.bubble->duration() > 0) {
    const char* idles = says.empty() ? tr("The GPU idles for {}") : tr("The GPU then idles for {}");
    says += formatted(idles, base::format_duration(path.bubble->duration()));
    if (repeats.count > 1 && repeats.over_ns > 0) {
      const double share = static_cast<double>(repeats.total_ns) / static_cast<double>(repeats.over_ns) * 100;
      says += tr("; {} such bubbles in {} add up to {}: {:.1f} % of the time.", base::format_count(repeats.count),
                 base::format_duration(repeats.over_ns), base::format_duration(repeats.total_ns), share);
    } else {
      says += ".";
    }
  }
  if (says.empty()) return;
  wrapped_text(c, FontRole::Small, Colour::Text, says);
  note_place(c, "cause.sum");
  vertical_space(c, 8);
}

}  // namespace

void draw_cause_path(const Canvas& c) {
  // A click selects another event, which changes the path while it is drawn.
  const CausePath path = c.state.cause.path;
  if (path.empty()) return;
  heading(c, tr("CAUSE AND EFFECT"));
  draw_sum(c, path, c.state.cause.repeats);  // before the stations, which may extend below the window's edge
  if (path.wait) {
    const bool host = !trace::is_blocking(path.wait->event);
    const Nanoseconds waits = host ? path.wait->event.duration() : trace::parts_of(path.wait->event).waiting;
    const char* pattern = host ? tr("{} waits for data") : tr("{} waits for the GPU");
    if (station(c, 1, formatted(pattern, name_of(c, *path.wait)), base::format_duration(waits), true)) {
      go_to(c, path.wait);
    }
  }
  if (path.last_operation) {
    const char* pattern = path.wait ? tr("until {} has run: the last in the queue") : tr("{} ends: the queue is empty");
    if (station(c, 2, formatted(pattern, name_of(c, *path.last_operation)),
                base::format_duration(path.last_operation->event.duration()), true)) {
      go_to(c, path.last_operation);
    }
  }
  if (path.its_launch && path.last_operation) {
    const Nanoseconds before = path.last_operation->event.start_ns - path.its_launch->event.start_ns;
    if (station(c, 3, formatted(tr("{} had launched it, this long before it ran"), name_of(c, *path.its_launch)),
                base::format_duration(before), true)) {
      go_to(c, path.its_launch);
    }
  }
  if (path.bubble) {
    const std::string parts = parts_text(*path.bubble);
    std::string says = tr("the GPU is idle");
    if (!parts.empty()) says += ": " + parts;
    if (station(c, 4, says, base::format_duration(path.bubble->duration()), !c.state.selection.bubble)) {
      c.state.selection.clear();
      c.state.selection.bubble = path.bubble;
      c.state.view.pan(0);
    }
  } else if (path.wait) {
    station(c, 4, tr("the GPU is not idle after it"), "0", false);
  }
  if (path.next_launch) {
    const std::string says = path.next_operation ? tr("{} launches {}, which ends it", name_of(c, *path.next_launch),
                                                      name_of(c, *path.next_operation))
                                                 : name_of(c, *path.next_launch);
    if (station(c, 5, says, base::format_duration(path.next_launch->event.duration()), true))
      go_to(c, path.next_launch);
  }
}

}  // namespace lanescope::ui
