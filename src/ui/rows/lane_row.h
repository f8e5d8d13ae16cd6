// The events of one lane. Its cost depends on the pixels, not on the events: what is too narrow to be seen alone is
// passed by a search for the first event that ends further on, and drawn as one folded glyph.
#pragma once

#include "ui/rows/row.h"

namespace lanescope::ui {

class LaneRow final : public Row {
 public:
  /// An event narrower than this is folded with its neighbours.
  static constexpr float kFoldPx = 3.0f;

  /// The mark of a read that came too early is at least this wide, though it is an instant.
  static constexpr float kStaleMarkPx = 10.0f;

  /// `compact`: one of many threads, drawn thin.
  explicit LaneRow(trace::LaneId lane, bool compact = false) : lane_(lane), compact_(compact) {}

  trace::LaneId lane() const { return lane_; }
  float height(const RowContext& context) const override;
  float event_height(const RowContext& context) const;
  void prepare(const RowContext& context, float y, SpanBatch& out) override;
  std::optional<RowHit> hit(float x, float y) const override;

  /// From the top of one sub-row to the next, as drawn last.
  float strip_pitch() const { return strip_height_; }

  /// A rectangle that prepare() drew and the events in it, left to right per sub-row.
  struct Glyph {
    float x0, x1;
    std::size_t row;
    trace::EventIndex first, last;
  };
  const std::vector<Glyph>& glyphs() const { return glyphs_; }

 private:
  struct Strip;  // where one sub-row is drawn

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

  trace::LaneId lane_;
  bool compact_;
  std::vector<Glyph> glyphs_;
  trace::NameId read_phase_ = 0;          // the phase that reads a value back: the one that waits
  std::vector<std::size_t> strip_begin_;  // the first glyph of each sub-row
  float strip_height_ = 1;
};

/// The colour an event is filled with.
Colour event_colour(trace::LaneKind lane, const trace::Event& event);
/// What is written into an event: "iteration 412", "linear_forward"; a long C++ kernel name is cut to its function.
std::string event_label(const trace::Trace& trace, trace::LaneKind lane, const trace::Event& event);
/// "void at::native::vectorized_elementwise_kernel<4, ...>(int, ...)" becomes "vectorized_elementwise_kernel".
std::string short_kernel_name(std::string_view name);
/// The share of [first, last) of a row of calls, in time, that is waiting, copying or returning.
double wait_share(const trace::Row& row, trace::EventIndex first, trace::EventIndex last);

}  // namespace lanescope::ui
