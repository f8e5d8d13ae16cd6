// The events of one lane. Its cost depends on the pixels, not on the events: what is too narrow to be seen alone is
// passed by a search for the first event that ends further on, and drawn as one folded glyph.
#pragma once

#include "ui/rows/row.h"

namespace lanescope::ui {

class LaneRow final : public Row {
 public:
  /// An event narrower than this is folded with its neighbours.
  static constexpr float kFoldPx = 3.0f;

  static constexpr float kRounding = 3.0f;  ///< of corners

  /// The mark of a read that came too early is at least this wide, though it is an instant.
  static constexpr float kStaleMarkPx = 10.0f;

  /// `compact`: one of many threads, drawn thin.
  explicit LaneRow(trace::LaneId lane, bool compact = false) : lane_(lane), compact_(compact) {}

  static constexpr float kFoldedHeight = 12;      ///< of a lane that is folded to a strip
  static constexpr float kGroupFoldedHeight = 6;  ///< of one whose group is

  /// How a person wants it.
  struct Look {
    bool folded = false, group_folded = false;
    float factor = 1;  ///< times the usual height
    bool operator==(const Look&) const = default;
  };
  /// Of its sub-rows: how high events are, from the top of one to the top of the next, and of all together.
  struct Shape {
    float event = 0, pitch = 0, height = 0;
    bool operator==(const Shape&) const = default;
  };

  trace::LaneId lane() const { return lane_; }
  void set_look(const Look& look) { look_ = look; }
  Shape wanted_shape(const RowContext& context) const { return shape_for(context, look_); }
  Shape shape_for(const RowContext& context, const Look& look) const;
  /// On the way from one shape to another; else prepare() draws in the wanted one.
  void set_shape(const Shape& shape) { shape_ = shape; }

  float height(const RowContext& context) const override { return wanted_shape(context).height; }
  void prepare(const RowContext& context, float y, SpanBatch& out) override;
  std::optional<RowHit> hit(float x, float y) const override;

  /// The same without drawing: what stands for the events is not theirs.
  void forget_glyphs();

  /// From the top of one sub-row to the next, as drawn last.
  float strip_pitch() const { return drawn_.pitch; }
  const Shape& drawn() const { return drawn_; }

  /// A rectangle that prepare() drew and the events in it, left to right per sub-row.
  struct Glyph {
    float x0, x1;
    std::size_t row;
    trace::EventIndex first, last;
  };
  const std::vector<Glyph>& glyphs() const { return glyphs_; }

 private:
  struct Strip;  // where one sub-row is drawn

  std::optional<RowHit> hit_strip(std::size_t strip, float x) const;
  void prepare_strip(const RowContext& context, const Strip& strip, SpanBatch& out);
  void draw_event(const RowContext& context, const Strip& strip, trace::EventIndex i, float x0, float x1,
                  SpanBatch& out) const;
  void draw_blocking_call(const RowContext& context, const Strip& strip, const trace::Event& call,
                          SpanBatch& out) const;
  void draw_open_iteration(const RowContext& context, const Strip& strip, SpanBatch& out) const;
  void draw_host_wait(const RowContext& context, const Strip& strip, const trace::Event& wait, float x0, float x1,
                      SpanBatch& out) const;
  float draw_stale_reads(const RowContext& context, const Strip& strip, trace::EventIndex first,
                         const trace::Fold& fold, float x0, SpanBatch& out) const;
  void draw_fold(const RowContext& context, const Strip& strip, trace::EventIndex first, const trace::Fold& fold,
                 float x0, float x1, SpanBatch& out) const;
  void write_counts(const RowContext& context, const Strip& strip, SpanBatch& out) const;

  trace::LaneId lane_;
  bool compact_;
  Look look_;
  std::optional<Shape> shape_;
  std::vector<Glyph> glyphs_;
  trace::NameId read_phase_ = 0;          // the phase that reads a value back: the one that waits
  std::vector<std::size_t> strip_begin_;  // the first glyph of each sub-row
  Shape drawn_;
};

/// How close together the events of a fold are, 0 to 3: fewer than 10 in three pixels (the width of the narrowest
/// fold), 10 or more, 100 or more, 1,000 or more. Drawn as ticks along its upper edge, finer with every level.
int fold_density(std::uint64_t events, float width_px, float scale);
/// "×842", "×1.2k", "×12k", "×3.4M".
std::string fold_count_text(std::uint64_t count);
/// The stretches of time that share a written count: a step of at least 80 pixels out of 1, 1.5, 2, 3, 5, 7 times a
/// power of ten, so that the numbers stay where they are while the view moves.
Nanoseconds count_step(Nanoseconds least);

/// The colour an event is filled with.
Colour event_colour(trace::LaneKind lane, const trace::Event& event);
/// What is written into an event: "iteration 412", "linear_forward"; a long C++ kernel name is cut to its function.
std::string event_label(const trace::Trace& trace, trace::LaneKind lane, const trace::Event& event);
/// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" becomes "vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name);
/// The share of [first, last) of a row of calls, in time, that is waiting, copying or returning.
double wait_share(const trace::Row& row, trace::EventIndex first, trace::EventIndex last);

}  // namespace lanescope::ui
