#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "ui/labels.h"
#include "ui/panels/panels.h"
#include "ui/widgets.h"

namespace lanescope::ui {

using analysis::BubbleCause;
using base::tr;

void draw_event_details(const Canvas& c, const EventRef& ref) {
  const trace::Trace& trace = c.state.model.trace();
  const trace::Event& e = ref.event;
  const trace::LaneInfo& lane = trace.lane(ref.lane).info();
  heading(c, tr("SELECTED"));
  const std::string name = lane.kind == trace::LaneKind::Iterations ? event_label(trace, lane.kind, e)
                                                                    : std::string(trace.names().text(e.name));
  wrapped_text(c, FontRole::Mono, Colour::Text, name.size() > 240 ? name.substr(0, 238) + "…" : name);
  vertical_space(c, 4);
  figure_line(c, tr("duration"), base::format_duration(e.duration()));
  figure_line(c, tr("start"), base::format_duration(e.start_ns - c.state.model.extent().first));
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
  if (!trace::is_cpu_lane(lane.kind)) {
    figure_line(c, tr("device · stream"), fmt::format("{} · {}", lane.device, lane.stream));
  }
  if (e.correlation) figure_line(c, tr("correlation"), std::to_string(e.correlation));
  if (!c.state.selection.linked) return;
  const EventRef& other = *c.state.selection.linked;
  const bool from_gpu = trace::is_gpu_work(e.kind);
  const char* relation = from_gpu ? tr("issued by") : trace::is_sync(e) ? tr("waits for") : tr("runs as");
  const std::string other_name = short_kernel_name(trace.names().text(other.event.name));
  figure_line(c, relation, fit_text(c.fonts, FontRole::Mono, other_name, 170 * c.scale), Colour::SelectionLink);
  const Nanoseconds delay = from_gpu ? e.start_ns - other.event.start_ns : other.event.start_ns - e.start_ns;
  if (!trace::is_sync(e)) figure_line(c, tr("launch to start"), base::format_duration(delay));
  // What the wait cost: the bubble that begins where its work ended.
  if (trace::is_sync(e)) {
    const auto& bubbles = c.state.model.analysis().bubbles();
    const auto b = std::lower_bound(bubbles.begin(), bubbles.end(), other.event.end_ns,
                                    [](const analysis::Bubble& x, Nanoseconds t) { return x.start_ns < t; });
    if (b != bubbles.end() && b->start_ns < e.end_ns) {
      figure_line(c, tr("then GPU idle"), base::format_duration(b->duration()), Colour::Bubble);
    }
  }
}

void draw_bubble_details(const Canvas& c, const analysis::Bubble& b) {
  heading(c, tr("SELECTED"));
  text(c, FontRole::BodyBold, Colour::Bubble, std::string(tr("GPU idle")) + " " + base::format_duration(b.duration()));
  figure_line(c, tr("cause"), std::string(analysis::cause_name(b.cause)));
  const std::string call(c.state.model.trace().names().text(b.call));
  const bool waited = b.cause == BubbleCause::Loader;
  const char* role = waited ? tr("waited in") : b.cause == BubbleCause::AfterSync ? tr("drained by") : tr("late call");
  if (!call.empty()) figure_line(c, role, call);
  if (b.cause == BubbleCause::AfterSync || b.cause == BubbleCause::Copy || waited) {
    figure_line(c, waited ? tr("until the data is there") : tr("CPU wakes up"), base::format_duration(b.wake_ns));
    figure_line(c, tr("CPU until the next launch"), base::format_duration(b.cpu_ns));
    figure_line(c, tr("launch until it starts"), base::format_duration(b.launch_ns));
  }
}

}  // namespace lanescope::ui
