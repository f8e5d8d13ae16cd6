#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "inspect/destination.h"
#include "render/labels.h"
#include "window/panels/code/code_view.h"
#include "window/panels/details/details_panels.h"
#include "window/widgets.h"
#include "workload/setting_change.h"

namespace lanescope::ui {

using analysis::BubbleCause;
using base::tr;

void draw_event_details(const Canvas& c, const EventRef& ref) {
  const trace::Trace& trace = c.state.model.trace();
  const trace::Event& e = ref.event;
  const trace::LaneInfo& lane = trace.lane(ref.lane).info();
  heading(c, tr("SELECTED"));
  const bool marker = e.kind == trace::EventKind::Marker;
  const bool labelled = lane.kind == trace::LaneKind::Iterations || is_stale_read(e);
  const std::string own(trace.names().text(e.name));
  const std::string name = labelled ? event_label(trace, lane.kind, e)
                           : marker ? workload::marker_text(trace.names(), {&e, 1})
                                    : own;
  wrapped_text(c, FontRole::Mono, Colour::Text, name.size() > 240 ? name.substr(0, 238) + "…" : name);
  vertical_space(c, 4);
  const auto since_begin = [&](Nanoseconds t) { return time_in_full(t - c.state.model.extent().first); };
  if (!marker) figure_line(c, tr("duration"), time_in_full(e.duration()));
  figure_line(c, marker ? tr("marker at") : tr("start"), since_begin(e.start_ns));
  if (!marker) figure_line(c, tr("end"), since_begin(e.end_ns));
  if (trace::is_blocking(e)) {
    const trace::CallParts parts = trace::parts_of(e);
    figure_line(c, tr("own cost"), base::format_duration(parts.own));
    figure_line(c, tr("waiting for GPU"), base::format_duration(parts.waiting), Colour::Wait);
    figure_line(c, tr("copying"), base::format_duration(parts.copying));
    figure_line(c, tr("return"), base::format_duration(parts.returning));
  }
  if (e.kind == trace::EventKind::Copy || e.kind == trace::EventKind::Memset) {
    const auto bytes = static_cast<double>(trace::bytes_of(e));
    figure_line(c, tr("bytes"), base::format_bytes(static_cast<std::int64_t>(bytes)));
    if (e.duration() > 0)
      figure_line(c, tr("rate"), fmt::format("{:.2f} GB/s", bytes / static_cast<double>(e.duration())));
  }
  if (!trace::is_cpu_lane(lane.kind) && !marker) {
    figure_line(c, tr("device · stream"), fmt::format("{} · {}", lane.device, lane.stream));
  }
  draw_statement_figure(c);
  if (e.correlation) figure_line(c, tr("correlation"), std::to_string(e.correlation));
  if (c.state.selection.linked && !trace::is_sync(e)) {
    const EventRef& other = *c.state.selection.linked;
    const bool from_gpu = trace::is_gpu_work(e.kind);
    const std::string other_name = short_kernel_name(trace.names().text(other.event.name));
    figure_line(c, from_gpu ? tr("issued by") : tr("runs as"),
                fit_text(c.fonts, FontRole::Mono, other_name, 170 * c.scale), Colour::SelectionLink);
    const Nanoseconds delay = from_gpu ? e.start_ns - other.event.start_ns : other.event.start_ns - e.start_ns;
    figure_line(c, tr("launch to start"), base::format_duration(delay));
  }
  draw_cause_path(c);
}

void draw_bubble_details(const Canvas& c, const analysis::Bubble& b) {
  heading(c, tr("SELECTED"));
  text(c, FontRole::BodyBold, Colour::Bubble, std::string(tr("GPU idle")) + " " + time_in_full(b.duration()));
  figure_line(c, tr("cause"), std::string(analysis::cause_name(b.cause)));
  const std::string call(c.state.model.trace().names().text(b.call));
  const bool waited = b.cause == BubbleCause::Loader;
  const char* role = waited ? tr("waited in") : b.cause == BubbleCause::AfterSync ? tr("drained by") : tr("late call");
  if (!call.empty()) figure_line(c, role, call);
  figure_line(c, tr("start"), time_in_full(b.start_ns - c.state.model.extent().first));
  draw_cause_path(c);
}

}  // namespace lanescope::ui
