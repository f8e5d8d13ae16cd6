// The band of the timeline: from the costliest stall of the shown iteration to the gap that it causes on the GPU.
#include <algorithm>
#include <cmath>

#include "base/time.h"
#include "base/translate.h"
#include "inspect/neighbours.h"
#include "timeline/timeline.h"
#include "trace/event.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kLeastGapPx = 8, kLeastBlockPx = 3;  // narrower ones get no band
constexpr float kFinest = 4096;  // of the shown iteration, a gap shorter than this part is not looked for
constexpr float kAboveAlpha = 0.14f, kBandAlpha = 0.28f, kGapAlpha = 0.22f;
constexpr float kBandLabelHeight = 20, kLabelPad = 8;
constexpr float kBandLetterPx = 8.2f;                       // of the bold font, with a margin
constexpr float kHeadingIndent = 36, kHeadingLetterPx = 7;  // of the small bold font, with a margin
constexpr int kGapSteps = 16;
constexpr float kMostSlices = 160;
constexpr float kDots = 1.2f, kMostDots = 1000;  // per pixel of a curved edge

// Rises from 0 to 1, level at both ends.
float eased(float u) { return u * u * (3 - 2 * u); }

}  // namespace

std::optional<Stall> Timeline::find_stall(const TimelineFrame& frame, const TimeAxis& axis) {
  if (frame.average || !frame.analysis) return std::nullopt;
  std::pair<Nanoseconds, Nanoseconds> shown{axis.begin_ns(), axis.end_ns()};
  if (frame.iteration) {
    shown = *frame.iteration;
  } else if (const auto middle = iteration_at(frame.trace, (axis.begin_ns() + axis.end_ns()) / 2, frame.live_edge)) {
    shown = {middle->event.start_ns, middle->event.end_ns};
  }
  if (shown.second <= shown.first) return std::nullopt;
  const Nanoseconds visible = axis.length_ns(kLeastGapPx * frame.scale);
  const auto part = static_cast<Nanoseconds>(static_cast<double>(shown.second - shown.first) / kFinest);
  const auto stall =
      stalls_.costliest(shown.first, shown.second, std::max({Nanoseconds{1}, visible, part}), axis.begin_ns());
  if (!stall || stall->gap.start_ns >= frame.live_edge) return std::nullopt;
  return axis.length_px(stall->block.to - stall->block.from) < kLeastBlockPx * frame.scale ? std::nullopt : stall;
}

void Timeline::place_stall_band(const TimelineFrame& frame, const TimeAxis& axis) {
  band_.reset();
  const std::optional<Stall> stall = find_stall(frame, axis);
  const Placed* calls = stall ? find(stall->call.lane) : nullptr;
  const Placed* kernels = stall ? kernel_row(*frame.analysis, stall->gap.gpu) : nullptr;
  if (!calls || !kernels) return;
  const auto px = [&](Nanoseconds t) { return axis.to_px(std::min(t, frame.live_edge)); };
  const float x0 = px(stall->block.from), x1 = px(stall->block.to);
  const float gap0 = px(stall->gap.start_ns), gap1 = px(stall->gap.end_ns);
  const float y0 = calls->y + static_cast<float>(stall->call.row) * calls->shape.pitch;
  const float y1 = std::min(y0 + calls->shape.event, calls->y + calls->height());
  // Both ends must be in sight, and the GPU below the CPU.
  if (std::max(x1, gap1) <= axis.left_px() || std::min(x0, gap0) >= axis.right_px() || y1 - y0 < 1) return;
  if (kernels->height() < 1 || covered(*calls, y0) || covered(*calls, y1 - 1) || covered(*kernels, kernels->y)) return;
  if (y0 < area_.y + kRulerHeight * frame.scale || kernels->y >= area_.y + area_.height) return;
  band_top_ = calls->y + calls->height();
  if (splits_ && !fixed(*calls)) band_top_ = std::min(band_top_, pane_of(*calls).bottom);
  // It ends where the first work of a GPU begins, and covers none of it.
  band_bottom_ = kernels->y;
  for (const Placed& p : placed_) {
    if (p.lane_row && p.entry.gpu && p.height() > 0 && p.y > band_top_ - 1) band_bottom_ = std::min(band_bottom_, p.y);
  }
  if (band_bottom_ < band_top_) return;
  const float harm = std::max(x0, px(stall->block.harm_from));
  band_ = StallBand{
      *stall, {x0, y0, x1 - x0, y1 - y0}, x1 - harm, {gap0, kernels->y, gap1 - gap0, kernels->height()}, {}, {}};
  band_->text = std::string(stalls_.statement(*stall)) + " " + brief_duration(stall->block.to - stall->block.from) +
                " → " + tr("GPU idle") + " " + brief_duration(stall->gap.duration());
  place_stall_label(frame, axis, *calls);
}

// In the free strip above the lanes of the thread.
void Timeline::place_stall_label(const TimelineFrame& frame, const TimeAxis& axis, const Placed& calls) {
  const float s = frame.scale;
  const Rect& block = band_->block;
  float top = calls.y;
  for (const Placed& p : placed_) {
    if (p.shown() && p.height() > 0 && p.pane == calls.pane && p.entry.group == calls.entry.group &&
        fixed(p) == fixed(calls)) {
      top = std::min(top, p.y);
    }
  }
  const float from = splits_ && !fixed(calls) ? pane_of(calls).top : area_.y + kRulerHeight * s;
  const float y = std::max(top - (kBandLabelHeight + 1) * s, from + s);
  const float width = (static_cast<float>(letters(band_->text)) * kBandLetterPx + 2 * kLabelPad) * s;
  const float left = std::max(block.x, axis.left_px()), right = std::min(block.x + block.width, axis.right_px());
  const float room = axis.right_px() - axis.left_px() - 2 * kLabelPad * s;
  if (right <= left || width > room || y + kBandLabelHeight * s > top) return;
  const float last = axis.right_px() - kLabelPad * s - width;
  float first = axis.left_px() + kLabelPad * s;
  for (const HeadingPlace& heading : headings_) {  // a long one reaches into the strip
    const float end = area_.x + (kHeadingIndent + kHeadingLetterPx * static_cast<float>(letters(heading.text))) * s;
    if (heading.group == calls.entry.group) first = std::min(std::max(first, end), last);
  }
  const float x = std::clamp((left + right - width) / 2, first, last);
  band_->label = {x, y, width, kBandLabelHeight * s};
}

// Straight down to the end of the lane, then curved to the gap's edges. In whole pixels, so that there are no seams.
void Timeline::draw_stall_band(const TimelineFrame& frame) {
  if (!band_) return;
  const float s = frame.scale;
  const auto [stall, block, saturated, gap, label, text] = *band_;
  const std::uint32_t wait = frame.theme[Colour::Wait];
  const std::uint32_t fill = with_alpha(wait, kBandAlpha), edge = with_alpha(wait, 0.9f);
  const auto piece = [&](float left, float right, float y0, float y1, float alpha) {
    rows_batch_.solid(left, y0, right, y1, with_alpha(wait, alpha));
    for (const float x : {left, right}) rows_batch_.solid(x - 0.5f * s, y0, x + 0.5f * s, y1, edge);
  };
  const float block_right = block.x + block.width, gap_right = gap.x + gap.width;
  if (label.width > 0 && label.y + label.height < block.y)
    piece(block.x, block_right, label.y + label.height, block.y, kAboveAlpha);
  const float straight = std::ceil(std::max(block.y + block.height, band_top_)), end = std::floor(band_bottom_);
  const float step = std::max(1.0f, std::ceil((end - straight) / kMostSlices));
  if (block.y + block.height < straight) piece(block.x, block_right, block.y + block.height, straight, kBandAlpha);
  const auto at = [&](float from, float to, float y) {
    return from + (to - from) * eased((y - straight) / (end - straight));
  };
  for (float y = straight; y < end; y += step) {
    const float next = std::min(y + step, end), middle = (y + next) / 2;
    rows_batch_.solid(at(block.x, gap.x, middle), y, at(block_right, gap_right, middle), next, fill);
  }
  // The edges as dots, which are smooth however flat the curve is.
  const float r = 0.7f * s, last = end - r;
  for (const auto& [from, to] : {std::pair(block.x, gap.x), std::pair(block_right, gap_right)}) {
    if (last <= straight) break;  // no room for a curve
    const int dots = static_cast<int>(std::min(kMostDots, kDots * std::hypot(to - from, end - straight) / s)) + 1;
    for (int i = 0; i <= dots; ++i) {
      const float y = straight + (last - straight) * static_cast<float>(i) / static_cast<float>(dots);
      const float x = at(from, to, y);
      rows_batch_.solid(x - r, y - r, x + r, y + r, edge, r);
    }
  }
  if (gap.y > end) {
    for (const float x : {gap.x, gap_right}) rows_batch_.solid(x - 0.5f * s, end, x + 0.5f * s, gap.y, edge);
  }
  const float shade = gap.height / kGapSteps;
  rows_batch_.solid(gap.x + s, gap.y, gap_right - s, gap.y + gap.height, frame.theme[Colour::BubbleGround]);
  for (int i = 0; i < kGapSteps; ++i) {
    const float y = gap.y + shade * static_cast<float>(i);
    const float share = 1 - static_cast<float>(i) / kGapSteps;
    rows_batch_.solid(gap.x + s, y, gap_right - s, y + shade, with_alpha(wait, kGapAlpha * share));
  }
  if (label.width <= 0) return;
  SpanBatch& out = label.y < rows_top_ ? top_batch_ : rows_batch_;  // the room above the lanes is not theirs
  out.solid(label.x, label.y, label.x + label.width, label.y + label.height, wait, 5 * s);
  out.add({label.x + kLabelPad * s / 2, label.y, label.width - kLabelPad * s, frame.theme.ink_on(Colour::Wait),
           FontRole::BodyBold, text, label.height, LabelAlign::Centre});
}

}  // namespace lanescope::ui
