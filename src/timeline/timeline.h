// The timeline: the rows in order, the ruler above them, and bubbles, markers, selection and the unknown edge over
// them. It prepares a batch, independent of what draws it (a window, a picture, a test).
#pragma once

#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "inspect/event_ref.h"
#include "timeline/average.h"
#include "timeline/lane_layout.h"
#include "timeline/lane_row.h"
#include "timeline/not_recorded.h"
#include "timeline/span_batch.h"
#include "timeline/stalls.h"
#include "trace/capture_health.h"

namespace lanescope::ui {

/// The user's selection: an event, a bubble, or a stretch of time.
struct Selection {
  std::optional<EventRef> event;
  std::optional<EventRef> linked;     ///< the GPU operation of the selected call, what it waited for, or the reverse
  std::optional<EventRef> came_from;  ///< the origin of a followed link, if `linked` does not lead back to it
  std::optional<analysis::Bubble> bubble;
  std::string caption;  ///< of the bubble, below it; may be empty
  std::optional<std::pair<Nanoseconds, Nanoseconds>> range;
  std::vector<trace::LaneId> lanes;  ///< with a range: only these lanes; empty: all

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
  bool averaged = false;                ///< the event is an averaged one
  std::optional<trace::OpenCall> open;  ///< an open call; then only the lane is set in addition
};

/// A place on a lane where nothing was recorded.
struct NotRecordedHit {
  trace::LaneId lane = 0;
  Nanoseconds at = 0;
  trace::Bursts bursts;  ///< of the lane's process
};

/// In a window the lanes have two panes, the CPU's above the GPU's. If not all lanes fit, each pane scrolls by itself,
/// so that both are always in sight; the run-ahead curve stands still between them.
enum class Pane : std::uint8_t { Cpu, Gpu };
inline constexpr std::size_t kPanes = 2;

/// What the user chose for the panes.
struct PaneChoice {
  float cpu_share = 0;                 ///< share of both panes' height for the CPU's; 0: what suits the lanes
  std::array<float, kPanes> scroll{};  ///< rows are moved up by this
};

/// A pane, as last drawn.
struct PanePlace {
  float top = 0, bottom = 0;
  float fixed_bottom = 0;  ///< lanes scroll from here on, below the sticking heading
  float scroll = 0;        ///< within its limits
  float overflow = 0;      ///< the most it can be scrolled
};

struct TimelineFrame {
  const trace::Trace& trace;
  const analysis::LiveAnalysis* analysis = nullptr;
  const Theme& theme;
  Nanoseconds live_edge = 0;
  bool live = false;             ///< there is an unknown edge
  Nanoseconds label_origin = 0;  ///< zero of the ruler's labels
  const Selection* selection = nullptr;
  float scale = 1;
  float scroll = 0;  ///< without panes: rows are moved up by this
  std::span<const trace::OpenCall> open_calls{};
  Nanoseconds now = 0;                      ///< end of open calls
  const LaneLayout* layout = nullptr;       ///< the user's arrangement of the lanes; null: the default
  const AveragePicture* average = nullptr;  ///< drawn instead of the events, on the lanes it has
  Nanoseconds average_at = 0;               ///< the position of its time 0
  double seconds = 0;                       ///< since the last frame, for smooth changes of heights; 0: change at once
  /// In a window: two panes whose lanes fill the area. Empty (pictures, A/B): one, with every lane at its own height.
  std::optional<PaneChoice> panes{};
  const Colouring* colouring = nullptr;  ///< what the colours say; null: the kinds
  /// The shown iteration, [from, to): its costliest stall gets a band. Empty: the one in the middle of the view, or the
  /// view itself if there are no iterations. from == to: there is no band.
  std::optional<std::pair<Nanoseconds, Nanoseconds>> iteration{};
  std::string iteration_says{};  ///< on a line below the ruler, and what is around it is dimmed; empty: no line
  float head = 0;                ///< room between the ruler and the lanes, for that line and the label of a stall
  /// Lanes without an event since then have no row, unless the other run has events on such a lane.
  std::optional<Nanoseconds> used_since{};
  const trace::Trace* beside = nullptr;
  bool fits = false;  ///< lanes become as low as they must, so that all fit
};

/// The band that ties the costliest stall of the shown iteration to the gap that it causes, as last drawn.
struct StallBand {
  Stall stall;
  Rect block;              ///< what is hatched on the lane of calls
  float saturated_px = 0;  ///< of its width, in the colour of harm
  Rect gap;                ///< on the first lane of kernels of the GPU
  Rect label;              ///< above the block; no width: there is no room for it
  std::string text;        ///< "item() 34 µs → GPU idle 38 µs"
};

/// A row with its name, as last drawn.
struct LanePlace {
  std::string key;                    ///< key in a LaneLayout
  std::optional<trace::LaneId> lane;  ///< empty: the run-ahead curve
  std::string name, full_name;        ///< "kernels", "GPU 0 · stream 7 · kernels"
  std::string group;                  ///< key in a LaneLayout
  Rect rect;                          ///< label column and row
  bool pinned = false, folded = false;
  bool gpu = false;
  bool stands_still = false;  ///< pinned, and there is space for it; or between the panes
  Pane pane = Pane::Cpu;
};

/// The heading of a group of lanes, as last drawn.
struct HeadingPlace {
  std::string group;  ///< key in a LaneLayout
  std::string text;
  Rect rect;  ///< over label column and lanes
  std::size_t lanes = 0;
  bool folded = false, sticks = false;
  bool quiet = false;  ///< folded because its thread has no events in view
  Pane pane = Pane::Cpu;
};

/// Whether the lane has an event in this stretch.
bool any_event(const trace::Lane& lane, Nanoseconds from, Nanoseconds to);

/// Lanes and names that scroll in a pane, clipped to it.
struct ScrolledLanes {
  SpanBatch rows, names;
  float top = 0, bottom = 0;
};

class Timeline {
 public:
  static constexpr float kRulerHeight = 30;
  static constexpr float kLabelWidth = 118;
  static constexpr float kHiddenNoteHeight = 28;  ///< at the bottom of the names, while lanes are hidden
  static constexpr float kLeastStretch = 0.75f;   ///< lanes in a window shrink to this factor before they scroll,
  static constexpr float kMostStretch = 24;       ///< and grow to this one where there is room
  static constexpr float kIterationLine = 24;     ///< height of the shown iteration's line

  /// Creates rows for new lanes, in the layout's order. Cheap if nothing has changed.
  void sync(const trace::Trace& trace, const LaneLayout* layout = nullptr);
  void clear();

  /// The total height of all rows at their own heights, including the ruler.
  float content_height(const TimelineFrame& frame, const TimeAxis& axis) const;
  /// The same with the lanes as high as they become in a window.
  float most_height(const TimelineFrame& frame, const TimeAxis& axis) const;
  /// Fills `rows` (whoever draws it clips it to the area below the ruler), `top` (ruler and flags, never scrolled) and
  /// `names` (left of the lanes). `area` covers label column and lanes; the axis starts after the label column.
  ///
  /// If there are fixed parts (pinned lanes, the heading of the current group, two panes), the scrolling lanes are in
  /// scrolled(): draw these before `rows` and `names`, each clipped to its place.
  void prepare(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  const std::array<ScrolledLanes, kPanes>& scrolled() const { return scrolled_; }
  /// Not all lanes fit: there are two panes, which scroll. Otherwise all lanes are in the first.
  bool divided() const { return divided_; }
  /// Where the lanes begin, as last prepared.
  float rows_top() const { return rows_top_; }
  const PanePlace& pane(Pane pane) const { return panes_[static_cast<std::size_t>(pane)]; }
  /// The line between the panes, to be dragged; and the share of the CPU's pane if it were dragged to `y`.
  Rect divider() const { return divider_; }
  float cpu_share_at(float y) const;
  Pane pane_at(float y) const;
  Pane pane_of(trace::LaneId lane) const;
  /// Heights and places are still changing.
  bool moving() const { return moving_; }
  const SpanBatch& rows() const { return rows_batch_; }
  const SpanBatch& top() const { return top_batch_; }
  const SpanBatch& names() const { return names_batch_; }
  /// For drawing over the lanes after prepare(): see MarkSurface.
  SpanBatch& rows() { return rows_batch_; }
  SpanBatch& top() { return top_batch_; }

  /// As last prepared.
  EventColours& colours() { return colours_; }
  const std::optional<StallBand>& stall_band() const { return band_; }
  std::optional<TimelineHit> hit(const TimelineFrame& frame, const TimeAxis& axis, float x, float y) const;
  /// Where hit() finds nothing because nothing was recorded there.
  std::optional<NotRecordedHit> not_recorded_at(const TimelineFrame& frame, const TimeAxis& axis, float x,
                                                float y) const;
  /// Where a lane was last drawn, even if scrolled out of view; for tests, hints and arrows.
  std::optional<Rect> lane_rect(trace::LaneId lane) const;
  std::optional<Rect> lane_rect(const trace::Trace& trace, trace::LaneKind kind) const;
  std::size_t lane_count() const;
  /// The screen position of an event, even if outside the view; empty if its lane is hidden. If the fixed part covers
  /// it, only the uncovered rest, at least an edge.
  std::optional<Rect> event_rect(const EventRef& ref, const TimeAxis& axis) const;
  /// The row in which a GPU's bubbles are drawn.
  std::optional<Rect> bubble_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const;
  /// The lane with its row or name at this height.
  std::optional<trace::LaneId> lane_at(float y) const;
  /// The lanes that overlap this vertical range, from the top.
  std::vector<trace::LaneId> lanes_between(float y0, float y1) const;
  /// All visible lanes, from the top.
  std::vector<trace::LaneId> lanes() const;
  /// All visible rows, including the run-ahead curve, from the top.
  std::vector<LanePlace> places() const;
  /// The row or name at this height.
  std::optional<LanePlace> place_at(float y) const;
  std::optional<LanePlace> place_of(std::string_view key) const;
  std::optional<std::string> key_of(trace::LaneId lane) const;
  const std::vector<HeadingPlace>& headings() const { return headings_; }
  /// Whether something that stands still, or another pane, covers it at this height.
  bool covers(const HeadingPlace& heading, float y) const;
  bool covers(const LanePlace& place, float y) const;
  /// The keys of all rows, including hidden ones, as if none were pinned.
  const std::vector<std::string>& order() const { return order_; }
  /// The number of this trace's rows that the user has hidden.
  std::size_t hidden_count() const;
  /// The scroll position of its pane nearest to the current one that shows an event, with a margin if there is room.
  float scroll_to_show(const EventRef& ref, float margin = 0) const;

 private:
  struct Placed {
    std::unique_ptr<LaneRow> lane_row;  // null: the run-ahead curve
    RunAheadRow curve;
    OrderedLane entry;
    LaneChoice choice;
    bool begins_group = false, first = false;  // among the visible ones
    bool group_folded = false;
    bool pinned = false;  // chosen, and there is space for it
    bool quiet = false;   // a thread without events in view
    bool unused = false;  // no events for long
    bool placed = false;
    Pane pane = Pane::Cpu;  // in which it scrolls
    // Current values, moving towards their targets.
    LaneRow::Shape shape;
    float before = 0, after = 0;  // space for the heading, and below
    float shift = 0;              // remaining distance from its old position after a move
    float y = 0;

    float height() const { return shape.height; }
    bool shown() const { return !choice.hidden && !unused; }
    bool folded() const { return choice.folded || group_folded; }
  };
  struct Wanted {
    LaneRow::Shape shape;
    float before = 0, after = 0;
  };

  void arrange(const trace::Trace& trace, const LaneLayout* layout);
  /// `as_chosen`: with the heights that the user has chosen.
  Wanted wanted(const Placed& placed, const RowContext& context, float stretch, bool as_chosen = true) const;
  float height_of_rows(const RowContext& context, float stretch, bool as_chosen = true) const;
  void find_quiet_threads(const TimelineFrame& frame, const TimeAxis& axis);
  void find_unused_lanes(const TimelineFrame& frame);
  void fit(const RowContext& context, const TimelineFrame& frame, float room);
  void place_panes(const TimelineFrame& frame, const Rect& area, float top);
  void place(const RowContext& context, const TimelineFrame& frame, const Rect& area);
  void mark_groups();
  void choose_pinned(const RowContext& context, float room);
  void place_headings(const TimelineFrame& frame, const Rect& area);
  void stick_heading(std::size_t pane, const TimelineFrame& frame, const Rect& area);
  /// It does not scroll: pinned, or the curve between the panes.
  bool fixed(const Placed& placed) const { return placed.pinned || (divided_ && !placed.lane_row); }
  const PanePlace& pane_of(const Placed& placed) const { return panes_[static_cast<std::size_t>(placed.pane)]; }
  /// At this height something that stands still covers it, or its pane has ended.
  bool covered(const Placed& placed, float y) const;
  bool covered(Pane pane, float y) const;
  LanePlace place_of(const Placed& placed) const;
  const Placed* find(trace::LaneId lane) const;
  ScrolledLanes& scrolled_of(Pane pane) { return scrolled_[static_cast<std::size_t>(pane)]; }
  SpanBatch& rows_of(const Placed& placed) {
    return fixed(placed) || !splits_ ? rows_batch_ : scrolled_of(placed.pane).rows;
  }
  SpanBatch& names_of(const Placed& placed) {
    return fixed(placed) || !splits_ ? names_batch_ : scrolled_of(placed.pane).names;
  }
  void add_fixed_edge(const TimelineFrame& frame, const TimeAxis& axis, float y, bool scrolls);
  void add_lanes(const TimelineFrame& frame, const RowContext& context);
  void add_name(const TimelineFrame& frame, const Placed& placed);
  void look_for_missing(const TimelineFrame& frame);
  void add_not_recorded(const TimelineFrame& frame, const TimeAxis& axis, const Placed& placed, SpanBatch& out);
  void add_headings(const TimelineFrame& frame);
  void add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_iteration(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  void add_bubbles(const TimelineFrame& frame, const RowContext& context);
  void add_average_bubbles(const TimelineFrame& frame, const TimeAxis& axis, const Placed& kernels,
                           trace::GpuNumber gpu);
  std::optional<TimelineHit> hit_average(const TimelineFrame& frame, const TimeAxis& axis, const Placed& placed,
                                         float x, float y) const;
  void add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  std::optional<Stall> find_stall(const TimelineFrame& frame, const TimeAxis& axis);
  void place_stall_band(const TimelineFrame& frame, const TimeAxis& axis);
  void place_stall_label(const TimelineFrame& frame, const TimeAxis& axis, const Placed& calls);
  void draw_stall_band(const TimelineFrame& frame);
  void add_unknown(const TimelineFrame& frame, const TimeAxis& axis);
  void add_open_calls(const TimelineFrame& frame, const RowContext& context);
  void add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area);
  /// The first kernel row of a GPU, where its bubbles are drawn; null if there is none.
  const Placed* kernel_row(const analysis::LiveAnalysis& analysis, trace::GpuNumber gpu) const;
  void add_bubbles(const TimelineFrame& frame, const RowContext& context, trace::GpuNumber gpu);

  struct OpenBar {
    Rect rect;
    trace::OpenCall call;
  };

  std::vector<Placed> placed_;  // in screen order, pinned ones first
  std::vector<HeadingPlace> headings_;
  std::vector<std::string> order_;
  std::vector<OpenBar> open_bars_;
  std::unique_ptr<trace::Owners> owners_;  // of a trace that is recorded in parts
  const trace::Trace* owners_of_ = nullptr;
  std::pair<Nanoseconds, Nanoseconds> may_miss_;  // outside, nothing is drawn as not recorded
  std::size_t lanes_seen_ = 0;
  std::uint64_t layout_seen_ = 0;
  LaneGrouping grouping_ = LaneGrouping::Owner;
  bool moving_ = false, rearranged_ = false;
  bool plain_ = false;  // one thread and one stream: their names need no rows of their own
  bool divided_ = false;
  bool splits_ = false;  // something stands still beside what scrolls
  float stretch_ = 1, curve_height_ = 0;
  float rows_top_ = 0;
  float excess_ = 0;      // by how much the rows, at rest, are higher than the room for them
  float panes_room_ = 0;  // height of both panes
  float pinned_bottom_ = 0;
  std::array<PanePlace, kPanes> panes_;
  Rect divider_;
  Rect area_;
  EventColours colours_;
  Stalls stalls_;
  std::optional<StallBand> band_;
  float band_top_ = 0, band_bottom_ = 0;  // where it is curved
  SpanBatch rows_batch_, top_batch_, names_batch_;
  std::array<ScrolledLanes, kPanes> scrolled_;
};

// --- timeline gutter -------------------------------------------------------------------------------------------------
// The marks in a timeline's gutter for pictures: triangles for folding, pins for pinned lanes. The window draws its
// own, which react to the mouse.

/// At scale 1, for a timeline prepared for `area`.
void add_gutter(const Timeline& timeline, const Theme& theme, const Rect& area, SpanBatch& out);

}  // namespace lanescope::ui
