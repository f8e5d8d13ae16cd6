#include <fmt/format.h>
#include <imgui.h>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {
namespace {

using base::tr;

void tooltip_line(const Canvas& c, const std::string& name, const std::string& value) {
  text(c, FontRole::Small, Colour::Muted, name);
  ImGui::SameLine(110 * c.scale);
  text(c, FontRole::MonoSmall, Colour::Text, value);
}

}  // namespace

void draw_event_tooltip(const Canvas& c, const TimelineHit& hit) {
  const Nanoseconds origin = c.state.view.label_origin();
  const trace::Trace& trace = c.state.model.trace();
  ImGui::BeginTooltip();
  if (hit.open) {
    text(c, FontRole::BodyBold, Colour::Wait, std::string(trace.names().text(hit.open->name)));
    tooltip_line(c, tr("so far"), base::format_duration(c.state.model.now() - hit.open->start_ns));
    tooltip_line(c, tr("start"), base::format_duration(hit.open->start_ns - origin));
    text(c, FontRole::Small, Colour::Muted, tr("the call is not back yet"));
  } else if (hit.event) {
    const trace::Event& e = hit.event->event;
    const trace::LaneInfo& lane = trace.lane(hit.lane).info();
    std::string name = lane.kind == trace::LaneKind::Iterations ? event_label(trace, lane.kind, e)
                                                                : std::string(trace.names().text(e.name));
    if (name.size() > 90) name = name.substr(0, 88) + "…";
    text(c, FontRole::BodyBold, Colour::Text, name);
    tooltip_line(c, tr("duration"), base::format_duration(e.duration()));
    tooltip_line(c, tr("start"), base::format_duration(e.start_ns - origin));
    if (trace::is_blocking(e)) {
      const trace::CallParts parts = trace::parts_of(e);
      tooltip_line(c, tr("own cost"), base::format_duration(parts.own));
      tooltip_line(c, tr("waiting"), base::format_duration(parts.waiting));
      if (parts.copying) tooltip_line(c, tr("copying"), base::format_duration(parts.copying));
      tooltip_line(c, tr("return"), base::format_duration(parts.returning));
    }
    if (e.kind == trace::EventKind::Copy) {
      const auto bytes = static_cast<double>(trace::bytes_of(e));
      tooltip_line(c, tr("bytes"), base::format_bytes(static_cast<std::int64_t>(bytes)));
      if (e.duration() > 0)
        tooltip_line(c, tr("rate"), fmt::format("{:.2f} GB/s", bytes / static_cast<double>(e.duration())));
    }
  } else if (hit.bubble) {
    text(c, FontRole::BodyBold, Colour::Bubble,
         std::string(tr("GPU idle")) + " " + base::format_duration(hit.bubble->duration()));
    tooltip_line(c, tr("cause"), std::string(analysis::cause_name(hit.bubble->cause)));
  } else {
    text(c, FontRole::BodyBold, Colour::Text, fmt::format("{} {}", base::format_count(hit.folded_count), tr("events")));
    tooltip_line(c, tr("together"), base::format_duration(hit.folded_to - hit.folded_from));
    tooltip_line(c, tr("busy"), fmt::format("{:.0f} %", hit.folded_busy * 100));
    text(c, FontRole::Small, Colour::Muted, tr("too narrow to be seen alone: zoom in"));
  }
  ImGui::EndTooltip();
}

void draw_pinned_tooltips(const Canvas&) {}

}  // namespace lanescope::ui
