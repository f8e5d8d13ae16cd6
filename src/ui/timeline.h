// The timeline: rows in order, with the ruler above them, bubbles, markers, selection and the unknown edge over them.
// It prepares a batch; who draws it (a window, a picture, a test) is not its business.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "trace/capture_health.h"
#include "ui/gl/draw_target.h"
#include "ui/lane_layout.h"
#include "ui/links.h"
#include "ui/rows/lane_row.h"
#include "ui/rows/run_ahead_row.h"
#include "ui/scope/average.h"

namespace lanescope::ui {

/// What a person has selected: an event, a bubble, or a stretch of time.
struct Selection {
  std::optional<EventRef> event;
  std::optional<EventRef> linked;  ///< the GPU operation of the selected call, what it waited for, or the reverse
  std::optional<analysis::Bubble> bubble;
  std::optional<std::pair<Nanoseconds, Nanoseconds>> range;
  std::vector<trace::LaneId> lanes;  ///< with a range: only these; empty: all

  void clear() { *this = {}; }
  bool empty() const { return !event && !bubble && !range; }
};

/// What is under the mouse.
struct TimelineHit {
  std::optional<EventRef> event;
  std::optional<analysis::Bubble> bubble;
  trace::LaneId lane = 0;
  std::int64_t folded_count = 0;  ///< > 1: several events share these pixels
  Nanoseconds folded_from = 0, folded_to = 0;
  double folded_busy = 0;
  std::optional<trace::OpenCall> open;  ///< a call that lasts; nothing else is set then but the lane
};

struct TimelineFrame {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;
  const Theme& theme;
  Nanoseconds live_edge = 0;
  bool live = false;             ///< there is an unknown edge
  Nanoseconds label_origin = 0;  ///< what the ruler counts from
  const Selection* selection = nullptr;
  float scale = 1;
  float scroll = 0;  ///< rows are moved up by this
  std::span<const trace::OpenCall> open_calls{};
  Nanoseconds now = 0;                      ///< how far open calls reach
  const LaneLayout* layout = nullptr;       ///< what a person did to the lanes; none: as they are at first
  const AveragePicture* average = nullptr;  ///< drawn instead of the events, for the lanes that it has
  Nanoseconds average_at = 0;               ///< where its instant 0 stands
  double seconds = 0;                       ///< since the last frame: heights move smoothly; 0: at once
};

/// A knob that was dragged leaves many markers: "log interval 1 → 2" to "log interval 50 → 100" read together are
/// "log interval 1 → 100". Two that are not of one knob read as the first.
std::string marker_text(std::string_view first, std::string_view last);

class Timeline {
 public:
  static constexpr float kRulerHeight = 30;
  static constexpr float kLabelWidth = 118;

  /// Makes rows for lanes that are new. Cheap when there are none.
  void sync(const trace::Trace& trace);
  void clear();

  /// The height that all rows need, ruler included.
  float content_height(const TimelineFrame& frame, const TimeAxis& axis) const;
  /// Fills `rows` (clipped to the area below the ruler by whoever draws it), `top` (ruler and flags, never scrolled)
  /// and `names` (left of the lanes). `area` spans label column and lanes; the axis starts behind the label column.
  void prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  const SpanBatch& rows() const { return rows_batch_; }
  const SpanBatch& top() const { return top_batch_; }
  const SpanBatch& names() const { return names_batch_; }
  /// For what is drawn over the lanes after prepare(): see MarkSurface.
  SpanBatch& rows() { return rows_batch_; }
  SpanBatch& top() { return top_batch_; }

  std::optional<TimelineHit> hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const;
  /// Where a lane was drawn last; for tests, hints and arrows.
  std::optional<Rect> lane_rect(trace::LaneId lane) const;
  std::optional<Rect> lane_rect(const trace::Trace& trace, trace::LaneKind kind) const;
  std::size_t lane_count() const;
  /// Where an event is on the screen, though it may be outside the view; none when its lane is hidden.
  std::optional<Rect> event_rect(const EventRef& ref, const TimeAxis& axis) const;
  /// Where bubbles are drawn.
  std::optional<Rect> bubble_row(const trace::Trace& trace) const;
  /// The lane whose row or name is at this height.
  std::optional<trace::LaneId> lane_at(float y) const;
  /// The lanes that a band of the screen touches, from the top.
  std::vector<trace::LaneId> lanes_between(float y0, float y1) const;
  /// All lanes that are shown, from the top.
  std::vector<trace::LaneId> lanes() const;

 private:
  struct Placed {
    std::unique_ptr<Row> row;
    LaneRow* lane_row = nullptr;  // null for the run-ahead curve
    std::string heading;          // over the row, when a group begins
    std::string label;
    bool compact = false;  // one of many threads
    float y = 0, height = 0;
  };

  void rebuild(const trace::Trace& trace);
  static float gap_after(const Placed& placed);
  static float height_before(const Placed& placed, bool first, float scale);
  void place(const RowContext& context, float top);
  void add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_bubbles(const TimelineFrame& frame, const RowContext& context);
  void add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_unknown(const TimelineFrame& frame, const TimeAxis& axis);
  void add_open_calls(const TimelineFrame& frame, const RowContext& context);
  void add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  const Placed* kernel_row(const trace::Trace& trace) const;

  struct OpenBar {
    Rect rect;
    trace::OpenCall call;
  };

  std::vector<Placed> placed_;
  std::vector<OpenBar> open_bars_;
  std::size_t lanes_seen_ = 0;
  Rect area_;
  SpanBatch rows_batch_, top_batch_, names_batch_;
};

}  // namespace lanescope::ui
