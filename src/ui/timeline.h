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
#include "ui/lane_order.h"
#include "ui/links.h"
#include "ui/rows/lane_row.h"
#include "ui/rows/run_ahead_row.h"
#include "ui/scope/average.h"

namespace lanescope::ui {

/// What a person has selected: an event, a bubble, or a stretch of time.
struct Selection {
  std::optional<EventRef> event;
  std::optional<EventRef> linked;     ///< the GPU operation of the selected call, what it waited for, or the reverse
  std::optional<EventRef> came_from;  ///< a link was followed from there, and `linked` does not lead back to it
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
  bool averaged = false;  ///< the event is one of those that the picture of an average lays over each other
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

/// A row with its name, as it was drawn last.
struct LanePlace {
  std::string key;                    ///< in a LaneLayout
  std::optional<trace::LaneId> lane;  ///< none: the run-ahead curve
  std::string name, full_name;        ///< "kernels", "GPU 0 · stream 7 · kernels"
  std::string group;                  ///< in a LaneLayout
  Rect rect;                          ///< label column and row
  bool pinned = false, folded = false;
  bool stands_still = false;  ///< pinned, and there is room for it
};

/// The heading of a group of lanes, as it was drawn last.
struct HeadingPlace {
  std::string group;  ///< in a LaneLayout
  std::string text;
  Rect rect;  ///< over label column and lanes
  std::size_t lanes = 0;
  bool folded = false, sticks = false;
};

/// Lanes and names that pass below what stands still.
struct ScrolledLanes {
  SpanBatch rows, names;
};

class Timeline {
 public:
  static constexpr float kRulerHeight = 30;
  static constexpr float kLabelWidth = 118;
  static constexpr float kHiddenNoteHeight = 28;  ///< at the lower end of the names, while lanes are hidden

  /// Makes rows for lanes that are new, in the layout's order. Cheap when nothing has changed.
  void sync(const trace::Trace& trace, const LaneLayout* layout = nullptr);
  void clear();

  /// The height that all rows need, ruler included.
  float content_height(const TimelineFrame& frame, const TimeAxis& axis) const;
  /// Fills `rows` (clipped to the area below the ruler by whoever draws it), `top` (ruler and flags, never scrolled)
  /// and `names` (left of the lanes). `area` spans label column and lanes; the axis starts behind the label column.
  void prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  ///
  /// Where something stands still over the lanes (pinned ones, the heading of the group that scrolls by), those that
  /// scroll are in scrolled(): drawn before `rows` and `names`, clipped to what is below fixed_bottom().
  const ScrolledLanes& scrolled() const { return scrolled_; }
  float fixed_bottom() const { return fixed_bottom_; }
  /// Heights and places still change.
  bool moving() const { return moving_; }
  const SpanBatch& rows() const { return rows_batch_; }
  const SpanBatch& top() const { return top_batch_; }
  const SpanBatch& names() const { return names_batch_; }
  /// For what is drawn over the lanes after prepare(): see MarkSurface.
  SpanBatch& rows() { return rows_batch_; }
  SpanBatch& top() { return top_batch_; }

  std::optional<TimelineHit> hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const;
  /// Where a lane was drawn last, though it may be scrolled out of view; for tests, hints and arrows.
  std::optional<Rect> lane_rect(trace::LaneId lane) const;
  std::optional<Rect> lane_rect(const trace::Trace& trace, trace::LaneKind kind) const;
  std::size_t lane_count() const;
  /// Where an event is on the screen, though it may be outside the view; none when its lane is hidden. Of one that has
  /// scrolled below what stands still, what is not covered, if only an edge.
  std::optional<Rect> event_rect(const EventRef& ref, const TimeAxis& axis) const;
  /// Where bubbles are drawn.
  std::optional<Rect> bubble_row(const trace::Trace& trace) const;
  /// The lane whose row or name is at this height.
  std::optional<trace::LaneId> lane_at(float y) const;
  /// The lanes that a band of the screen touches, from the top.
  std::vector<trace::LaneId> lanes_between(float y0, float y1) const;
  /// All lanes that are shown, from the top.
  std::vector<trace::LaneId> lanes() const;
  /// All rows that are shown, the run-ahead curve among them, from the top.
  std::vector<LanePlace> places() const;
  /// The row or name at this height.
  std::optional<LanePlace> place_at(float y) const;
  std::optional<LanePlace> place_of(std::string_view key) const;
  std::optional<std::string> key_of(trace::LaneId lane) const;
  const std::vector<HeadingPlace>& headings() const { return headings_; }
  /// The keys of all rows, hidden ones too, as if none were pinned.
  const std::vector<std::string>& order() const { return order_; }
  /// Rows of this trace that a person has hidden.
  std::size_t hidden_count() const;
  /// The scroll at which a lane is in view, as near to `scroll` as possible.
  float scroll_to_show(trace::LaneId lane, float scroll) const;

 private:
  struct Placed {
    std::unique_ptr<Row> row;
    LaneRow* lane_row = nullptr;  // null for the run-ahead curve
    LaneSeat seat;
    LaneChoice choice;
    bool begins_group = false, first = false;  // of those that are shown
    bool group_folded = false;
    bool pinned = false;  // chosen, and there is room for it
    bool placed = false;
    // Of this moment, on their way to what is wanted.
    LaneRow::Shape shape;
    float before = 0, after = 0;  // room for the heading, and below
    float shift = 0;              // from where it stood before it was moved
    float y = 0;

    float height() const { return shape.height; }
    bool shown() const { return !choice.hidden; }
    bool folded() const { return choice.folded || group_folded; }
  };
  struct Wanted {
    LaneRow::Shape shape;
    float before = 0, after = 0;
  };

  void arrange(const trace::Trace& trace, const LaneLayout* layout);
  Wanted wanted(const Placed& placed, const RowContext& context) const;
  void place(const RowContext& context, const TimelineFrame& frame, const Rect& area);
  void mark_groups();
  void choose_pinned(const RowContext& context, float room);
  void place_headings(const TimelineFrame& frame, const Rect& area);
  bool covered(const Placed& placed, float y) const;
  LanePlace place_of(const Placed& placed) const;
  const Placed* find(trace::LaneId lane) const;
  SpanBatch& rows_of(const Placed& placed) { return placed.pinned || !splits_ ? rows_batch_ : scrolled_.rows; }
  SpanBatch& names_of(const Placed& placed) { return placed.pinned || !splits_ ? names_batch_ : scrolled_.names; }
  void add_lanes(const TimelineFrame& frame, const RowContext& context);
  void add_name(const TimelineFrame& frame, const Placed& placed);
  void add_headings(const TimelineFrame& frame);
  void add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_bubbles(const TimelineFrame& frame, const RowContext& context);
  void add_average_bubbles(const TimelineFrame& frame, const TimeAxis& axis, const Placed& kernels);
  std::optional<TimelineHit> hit_average(const TimelineFrame& frame, const TimeAxis& axis, const Placed& placed,
                                         float x, float y) const;
  void add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_unknown(const TimelineFrame& frame, const TimeAxis& axis);
  void add_open_calls(const TimelineFrame& frame, const RowContext& context);
  void add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  const Placed* kernel_row(const trace::Trace& trace) const;

  struct OpenBar {
    Rect rect;
    trace::OpenCall call;
  };

  std::vector<Placed> placed_;  // in the order of the screen; the pinned ones first
  std::vector<HeadingPlace> headings_;
  std::vector<std::string> order_;
  std::vector<OpenBar> open_bars_;
  std::size_t lanes_seen_ = 0;
  std::uint64_t layout_seen_ = 0;
  LaneGrouping grouping_ = LaneGrouping::Owner;
  bool moving_ = false, rearranged_ = false, splits_ = false;
  float pinned_bottom_ = 0, fixed_bottom_ = 0;
  Rect area_;
  SpanBatch rows_batch_, top_batch_, names_batch_;
  ScrolledLanes scrolled_;
};

}  // namespace lanescope::ui
