#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>

#include "base/translate.h"
#include "inspect/destination.h"
#include "model/code/call_stack.h"
#include "render/labels.h"
#include "timeline/mark_shapes.h"
#include "trace/event.h"
#include "window/panels/timeline/timeline_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kTooltipWidth = 360, kTooltipHeight = 230, kTallLane = 160;

void tooltip_text(const Canvas& c, FontRole role, Colour colour, const std::string& says) {
  text(c, role, colour, wrapped_lines(c, role, says, tooltip_room(c)));
}

void event_tooltip_line(const Canvas& c, const std::string& name, const std::string& value) {
  text(c, FontRole::Small, Colour::Muted, name);
  ImGui::SameLine(110 * c.scale);
  text(c, FontRole::MonoSmall, Colour::Text, value);
}

// Since the start of the run, as everywhere; and as on the ruler, where that counts from a trigger.
void tooltip_starts(const Canvas& c, Nanoseconds start) {
  const Nanoseconds begin = c.state.model.extent().first, origin = c.state.view.label_origin();
  event_tooltip_line(c, tr("start"), time_in_full(start - begin));
  if (origin != begin) event_tooltip_line(c, tr("on the ruler"), base::format_duration(start - origin));
}

// The line of the user's program, and its text.
void tooltip_source(const Canvas& c, std::uint32_t site) {
  const CallStack stack = call_stack(c.state.model.trace(), site, &c.state.code.files);
  const StackLine* own = stack.own_line();
  if (!own) return;
  tooltip_text(c, FontRole::BodyBold, Colour::Accent, own->sentence());
  if (!own->source.empty()) {
    text(c, FontRole::MonoSmall, Colour::Text, fit_text(c.fonts, FontRole::MonoSmall, own->source, tooltip_room(c)));
  }
}

// The lines of a tooltip, also used for a pinned one.
void tooltip_lines(const Canvas& c, const TimelineHit& hit) {
  const trace::Trace& trace = c.state.model.trace();
  if (hit.open) {
    tooltip_text(c, FontRole::BodyBold, Colour::Wait, std::string(trace.names().text(hit.open->name)));
    event_tooltip_line(c, tr("so far"), base::format_duration(c.state.model.now() - hit.open->start_ns));
    tooltip_starts(c, hit.open->start_ns);
    tooltip_source(c, trace.sites().at(hit.open->lane, hit.open->start_ns));
    text(c, FontRole::Small, Colour::Muted, tr("the call has not returned yet"));
  } else if (hit.event) {
    const trace::Event& e = hit.event->event;
    const trace::LaneInfo& lane = trace.lane(hit.lane).info();
    const bool labelled = lane.kind == trace::LaneKind::Iterations || is_stale_read(e);
    std::string name = labelled ? event_label(trace, lane.kind, e) : std::string(trace.names().text(e.name));
    if (name.size() > 90) name = name.substr(0, 88) + "…";
    tooltip_text(c, FontRole::BodyBold, Colour::Text, name);
    event_tooltip_line(c, tr("duration"), time_in_full(e.duration()));
    tooltip_starts(c, e.start_ns);
    if (trace::is_blocking(e)) {
      const trace::CallParts parts = trace::parts_of(e);
      event_tooltip_line(c, tr("own cost"), base::format_duration(parts.own));
      event_tooltip_line(c, tr("waiting"), base::format_duration(parts.waiting));
      if (parts.copying) event_tooltip_line(c, tr("copying"), base::format_duration(parts.copying));
      event_tooltip_line(c, tr("return"), base::format_duration(parts.returning));
    }
    if (e.kind == trace::EventKind::Copy) {
      const std::int64_t bytes = trace::shown_bytes(e);
      event_tooltip_line(c, tr("bytes"), base::format_bytes(bytes));
      if (e.duration() > 0) {
        const double rate = static_cast<double>(bytes) / static_cast<double>(e.duration());
        event_tooltip_line(c, tr("rate"), fmt::format("{:.2f} GB/s", rate));
      }
    }
    tooltip_source(c, site_of(c.state.model.analysis().links(), *hit.event));
  } else if (hit.bubble) {
    text(c, FontRole::BodyBold, Colour::Bubble,
         std::string(tr("GPU idle")) + " " + base::format_duration(hit.bubble->duration()));
    event_tooltip_line(c, tr("cause"), std::string(analysis::cause_name(hit.bubble->cause)));
  } else {
    tooltip_text(c, FontRole::BodyBold, Colour::Text,
                 tr("{} events, {:.0f} % busy", base::format_count(hit.folded_count), hit.folded_busy * 100));
    event_tooltip_line(c, tr("time span"), base::format_duration(hit.folded_to - hit.folded_from));
    tooltip_text(c, FontRole::Small, Colour::Muted,
                 tr("filled: how busy · ticks above: how many · zoom in to see each"));
  }
}

// One card with a line to its target. Dragged by its body, closed by its cross. False: it was closed.
bool draw_event_pin(const Canvas& c, PinnedTooltip& pin, const Rect& area) {
  const ShellState& state = c.state;
  const float s = c.scale;
  const PinText says = pin_text(state.model.trace(), pin.hit, state.model.extent().first);
  const auto place = pin_place(pin, state.timeline, state.view.axis(), area, s, says.lines.size());
  if (!place) return true;  // out of view, but not closed
  const auto [x, y, width, height] = place->card;
  const ImVec2 tip{place->tip_x, place->tip_y};
  const std::uint32_t edge = c.theme[Colour::Selection];
  ImDrawList& under = *ImGui::GetWindowDrawList();
  under.AddLine(tip, {std::clamp(tip.x, x, x + width), std::clamp(tip.y, y, y + height)}, edge, 1.2f * s);
  under.AddCircleFilled(tip, 3 * s, edge);
  // A separate window, so that it takes the mouse from the timeline.
  ImGui::SetNextWindowPos({x, y});
  ImGui::SetNextWindowSize({width, height + 2 * s});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::Begin(("##pin" + std::to_string(pin.id)).c_str(), nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings |
                   ImGuiWindowFlags_NoBackground | ImGuiWindowFlags_NoNav | ImGuiWindowFlags_NoFocusOnAppearing);
  ImGui::PopStyleVar();
  ImDrawList& list = *ImGui::GetWindowDrawList();
  list.AddRectFilled({x, y + 2 * s}, {x + width, y + height + 2 * s}, c.theme[Colour::Shadow], 6 * s);
  list.AddRectFilled({x, y}, {x + width, y + height}, c.theme[Colour::PanelRaised], 6 * s);
  list.AddRect({x, y}, {x + width, y + height}, edge, 6 * s, 0, 1.2f * s);
  std::vector<Label> labels = pin_labels(says, place->card, c.theme, s);
  const float cross = 20 * s;
  ImGui::SetCursorScreenPos({x + width - cross - 2 * s, y + 2 * s});
  const bool closed = press_area(c, "##close", {cross, cross});
  labels.push_back({x + width - cross - 2 * s, y + 2 * s, cross,
                    c.theme[ImGui::IsItemHovered() ? Colour::Text : Colour::Muted], FontRole::SmallBold, "×", cross,
                    LabelAlign::Centre});
  note_control(c, "pin.close");
  ImGui::SetCursorScreenPos({x, y});
  ImGui::InvisibleButton("##card", {width - 24 * s, height});
  note_place(c, "pin");
  if (ImGui::IsItemActive()) {
    pin.dx += ImGui::GetIO().MouseDelta.x / s;
    pin.dy += ImGui::GetIO().MouseDelta.y / s;
  }
  draw_labels(list, c.fonts, labels);
  ImGui::End();
  return !closed;
}

}  // namespace

float tooltip_room(const Canvas& c) { return kTooltipWidth * c.scale - 2 * ImGui::GetStyle().WindowPadding.x; }

void begin_lane_tooltip(const Canvas& c, const std::optional<Rect>& lane) {
  const float s = c.scale;
  const ImVec2 display = ImGui::GetIO().DisplaySize, mouse = ImGui::GetIO().MousePos;
  if (lane) {
    // Of a tall lane, its place under the pointer.
    const bool tall = lane->height > kTallLane * s;
    const float top = tall ? mouse.y - 24 * s : lane->y, bottom = tall ? mouse.y + 24 * s : lane->y + lane->height;
    const bool below = display.y - bottom > kTooltipHeight * s || display.y - bottom > top;
    const float x = std::max(4 * s, std::min(mouse.x + 12 * s, display.x - (kTooltipWidth + 4) * s));
    ImGui::SetNextWindowPos({x, below ? bottom + 4 * s : top - 4 * s}, ImGuiCond_Always, {0, below ? 0.0f : 1.0f});
  }
  ImGui::SetNextWindowSizeConstraints({0, 0}, {kTooltipWidth * s, display.y});
  ImGui::BeginTooltip();
}

void draw_event_tooltip(const Canvas& c, const TimelineHit& hit) {
  begin_lane_tooltip(c, c.state.timeline.lane_rect(hit.lane));
  tooltip_lines(c, hit);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  c.state.places["tooltip"] = {at.x, at.y, size.x, size.y};
  ImGui::EndTooltip();
}

void draw_pinned_tooltips(const Canvas& c) {
  const Rect area = c.state.places["timeline"];
  std::erase_if(c.state.marks.pinned, [&](PinnedTooltip& pin) { return !draw_event_pin(c, pin, area); });
}

}  // namespace lanescope::ui
