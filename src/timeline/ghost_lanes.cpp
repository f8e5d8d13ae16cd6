#include "timeline/ghost_lanes.h"

#include <algorithm>

namespace lanescope::ui {
namespace {

constexpr float kOpacity = 0.5f;
// Thinner than the lanes above, where it is read; relative to the height that all would have.
constexpr float kPhases = 0.7f, kCopies = 0.6f;

std::uint32_t pale(std::uint32_t colour) {
  const auto alpha = static_cast<float>(colour >> 24) / 255.0f;
  return with_alpha(colour, alpha * kOpacity);
}

float relative_height(trace::LaneKind kind) {
  switch (kind) {
    case trace::LaneKind::Kernels:
    case trace::LaneKind::Calls:
      return 1;
    case trace::LaneKind::CopyH2D:
    case trace::LaneKind::CopyD2H:
    case trace::LaneKind::CopyOther:
      return kCopies;
    default:
      return kPhases;
  }
}

}  // namespace

void GhostLanes::prepare(const Scene& scene) {
  const RunSnapshot& run = scene.run;
  if (of_ != run.number) {
    of_ = run.number;
    timeline_.clear();
    layout_ = {};
    layout_.leave_out({true, true});
    layout_.set_grouping(LaneGrouping::None);
    const std::vector<std::string> keys = lane_keys(*run.trace);
    for (std::size_t l = 0; l < keys.size(); ++l) {
      const trace::LaneInfo& info = run.trace->lane(static_cast<trace::LaneId>(l)).info();
      LaneChoice choice;
      choice.height = relative_height(info.kind);
      choice.hidden = info.role == trace::LaneRole::Helper;  // only the loop itself is compared
      layout_.set(keys[l], choice);
    }
  }
  const IterationSpan iteration = run.typical_iteration();
  const float start = scene.axis.to_px(scene.start_ns);
  const TimeAxis aligned = scene.axis.anchored(iteration.start_ns, start);
  end_px_ = aligned.to_px(iteration.end_ns);
  const float left = std::max(start, scene.axis.left_px()), right = std::min(end_px_, scene.axis.right_px());
  place_ = {left, scene.area.y, std::max(0.0f, right - left), scene.area.height};
  if (right <= left) {
    timeline_.rows().clear();
    return;
  }
  const TimeAxis cut =
      TimeAxis(iteration.start_ns, aligned.ns_per_pixel(), left, right - left).anchored(iteration.start_ns, start);
  TimelineFrame frame{*run.trace, run.analysis.get(), scene.theme, run.trace->complete_until()};
  frame.scale = scene.scale;
  frame.layout = &layout_;
  frame.colouring = scene.colouring;
  frame.panes = PaneChoice{};
  frame.used_since = iteration.start_ns;
  frame.fits = true;
  frame.iteration = {0, 0};  // its stall has no label: the one above has one
  // No ruler: its room is above the area.
  const float ruler = Timeline::kRulerHeight * scene.scale;
  timeline_.prepare(frame, cut, {scene.area.x, scene.area.y - ruler, scene.area.width, scene.area.height + ruler});
  SpanBatch& rows = timeline_.rows();
  for (Span& span : rows.spans) {
    span.colour = pale(span.colour);
    span.ink = pale(span.ink);
  }
  for (Label& label : rows.labels) {
    label.colour = pale(label.colour);
    label.ground = pale(label.ground);
  }
}

}  // namespace lanescope::ui
