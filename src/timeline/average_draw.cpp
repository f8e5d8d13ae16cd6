// Draws an average: rectangles at the mean times, whiskers for the scatter and, behind them, the occupancy, like the
// afterglow of an oscilloscope.
#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "timeline/average.h"
#include "timeline/colouring.h"
#include "timeline/lane_row.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kRounding = 3;
constexpr float kStripGap = 2;      // between sub-rows, as in LaneRow
constexpr float kWhiskerPx = 2.5f;  // a shorter standard deviation is not visible
constexpr float kWhiskerRoom = 14;  // narrower events have no whiskers
constexpr float kLetterPx = 6.4f;   // width of a letter in the small font
constexpr int kShades = 24;

// Keeps rare things visible: one picture in 32 gives a shade of a sixth.
float shade(float share) { return 0.85f * std::sqrt(share); }

struct Strips {
  float pitch = 0, height = 0;

  Strips(float lane_height, std::size_t rows, float scale) {
    const auto n = static_cast<float>(std::max<std::size_t>(1, rows));
    pitch = (lane_height + kStripGap * scale) / n;
    height = pitch - kStripGap * scale;
    if (height >= 3 * scale) return;
    // A lane folded to a thin line: all sub-rows on top of each other.
    pitch = 0;
    height = lane_height;
  }
  std::size_t row_at(float y) const { return pitch > 0 ? static_cast<std::size_t>(std::max(0.0f, y) / pitch) : 0; }
};

std::uint32_t fainter(std::uint32_t colour, float share) {
  return with_alpha(colour, share * static_cast<float>(colour >> 24) / 255);
}

Nanoseconds whole(double t) { return static_cast<Nanoseconds>(std::llround(t)); }

}  // namespace

void AveragePicture::draw_occupancy(const RowAverage& row, const TimeAxis& axis, Nanoseconds trigger_ns,
                                    const Theme& theme, float y0, float y1, SpanBatch& out) const {
  if (row.columns.empty()) return;
  const float begin = axis.to_px(trigger_ns - before_);
  const float end = axis.to_px(trigger_ns + after_);
  const auto n = static_cast<float>(row.columns.size());
  const float column_px = (end - begin) / n;
  if (column_px <= 0) return;
  // A pixel shows its brightest column, so that no spike is lost; a column may span many pixels.
  const float step = std::max(1.0f, column_px);
  const std::uint32_t colour = theme[row.colour];
  const std::uint32_t wait = theme[Colour::Faint];  // whether it cost anything is not said
  float run_begin = 0;
  std::pair<int, int> run{0, 0};  // shade of busy, share of waiting in it
  const auto close = [&](float x) {
    if (run.first > 0) {
      const float waiting = static_cast<float>(run.second) / kShades;
      out.solid(run_begin, y0, x, y1, with_alpha(mix(colour, wait, waiting), static_cast<float>(run.first) / kShades));
    }
    run_begin = x;
  };
  const float from = std::max(begin, begin + std::floor((axis.left_px() - begin) / step) * step);
  const float to = std::min(end, axis.right_px());
  float x = from;
  for (int i = 1; x < to; ++i) {
    const float next = std::min(from + static_cast<float>(i) * step, to);
    const auto first = static_cast<std::size_t>(std::clamp((x - begin) / column_px + 0.01f, 0.0f, n - 1));
    const auto last = static_cast<std::size_t>(std::clamp((next - begin) / column_px - 0.01f, 0.0f, n - 1));
    Column most;
    for (std::size_t c = first; c <= std::max(first, last); ++c) {
      most.busy = std::max(most.busy, row.columns[c].busy);
      most.waiting = std::max(most.waiting, row.columns[c].waiting);
    }
    const auto busy = static_cast<int>(std::ceil(shade(most.busy) * kShades));
    const float waiting = most.busy > 0 ? std::min(1.0f, most.waiting / most.busy) : 0;
    const std::pair wanted{most.busy > 0.001f ? busy : 0, static_cast<int>(std::lround(waiting * kShades))};
    if (wanted != run) {
      close(x);
      run = wanted;
    }
    x = next;
  }
  close(to);
}

void AveragePicture::draw_event(const AverageEvent& e, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme,
                                float y0, float y1, float s, SpanBatch& out, trace::LaneId lane,
                                EventColours* colours) const {
  trace::Event mean = e.event;
  mean.end_ns = mean.start_ns + whole(e.duration.mean);
  const bool stalls = e.colour == Colour::WaitGround;
  const Paint said =
      (colours && !stalls ? colours->own_paint(lane, mean) : std::nullopt).value_or(Paint{});  // 0: by kind
  const float x0 = axis.to_px(trigger_ns + whole(e.start.mean));
  const float x1 = std::max(axis.to_px(trigger_ns + whole(e.end.mean)), x0 + 1);
  const float width = x1 - x0;
  // Events that are not in every picture are fainter.
  const float presence = 0.35f + 0.65f * static_cast<float>(e.duration.count) / static_cast<float>(count_);
  const float rounding = width > 8 ? kRounding * s : 0;
  const auto write = [&](float from, float to, const std::string& name, const Spread& spread, std::uint32_t ink,
                         FontRole font, LabelAlign align, std::uint32_t ground) {
    const float left = std::max(from, axis.left_px()) + (align == LabelAlign::Left ? 6 : 4) * s;
    const float right = std::min(to, axis.right_px()) - 4 * s;
    const std::string figures = mean_sd_text(spread);
    const float letters = (right - left - 4 * s) / (kLetterPx * s);
    std::string says = name.empty() ? figures : name + "  " + figures;
    if (static_cast<float>(says.size()) > letters) says = static_cast<float>(name.size()) > letters ? figures : name;
    if (static_cast<float>(says.size()) > letters + 2) says = name;
    out.add({left, y0, right - left, ink, font, says, y1 - y0, align, ground, LabelFit::Name});
  };
  if (trace::is_blocking(e.event) && width >= 2 * LaneRow::kFoldPx) {
    const auto px = [&](double t) { return axis.to_px(trigger_ns + whole(t)); };
    const float own = px(e.start.mean + e.own.mean), harm = std::max(own, px(e.end.mean - e.lost));
    if (own > x0) out.solid(x0, y0, own, y1, with_alpha(said.fill ? said.fill : theme[e.colour], presence), rounding);
    const auto block = [&](float from, float to, bool harmful) {
      if (to <= from) return;
      const Hatching look = wait_hatching(theme, harmful);
      out.styled(SpanStyle::Hatched, from, y0, to, y1, fainter(look.ground, presence), fainter(look.ink, presence));
    };
    out.solid(own, y0, x1, y1, theme[Colour::Row]);  // otherwise the occupancy would show through it
    block(own, harm, false);
    block(harm, x1, true);
    if (x1 - own > 40 * s) {
      write(own, x1, tr("waiting"), e.block, theme[Colour::Text], FontRole::Small, LabelAlign::Centre,
            theme[Colour::Pill]);
    }
  } else if (trace::is_host_wait(e.event)) {
    out.styled(SpanStyle::Hatched, x0, y0, x1, y1, with_alpha(theme[Colour::LoaderWaitGround], presence),
               with_alpha(theme[Colour::LoaderWait], presence), rounding);
    if (width > 40 * s) {
      write(x0, x1, e.label, e.duration, theme[Colour::Text], FontRole::Small, LabelAlign::Centre, theme[Colour::Pill]);
    }
  } else {
    const float gap = width > 6 ? 1.0f : 0.0f;
    out.solid(x0, y0, x1 - gap, y1, with_alpha(said.fill ? said.fill : theme[e.colour], presence), rounding);
    // Fill the gap: otherwise the occupancy would show through it.
    if (gap > 0) out.solid(x1 - gap, y0, x1, y1, with_alpha(theme[Colour::Row], 0.7f));
    const bool bold = e.event.kind == trace::EventKind::Kernel;
    const std::uint32_t ink = said.fill ? said.ink : theme.ink_on(e.colour);
    if (width > 26 * s && presence > 0.8f) {
      write(x0, x1, e.label, e.duration, ink, bold ? FontRole::SmallBold : FontRole::Small, LabelAlign::Left, 0);
    }
  }
  if (width < kWhiskerRoom * s) return;
  // Start and end at different heights: both stay readable if an end and the next start scatter together.
  const auto whisker = [&](float x, const Spread& spread, float share) {
    const float sd = axis.length_px(whole(spread.sd()));
    if (sd < kWhiskerPx) return;
    const float y = std::round(y0 + (y1 - y0) * share);
    const std::uint32_t ink = theme[Colour::Text];
    // Fades out to two standard deviations.
    out.solid(x - 2 * sd, y - s / 2, x + 2 * sd, y + s / 2, with_alpha(ink, 0.35f));
    out.solid(x - sd, y - s, x + sd, y + s, with_alpha(ink, 0.9f));
    for (const float cap : {x - sd, x + sd}) {
      out.solid(cap - 0.75f * s, y - 3.5f * s, cap + 0.75f * s, y + 3.5f * s, with_alpha(ink, 0.9f));
    }
  };
  whisker(x0, e.start, 0.2f);
  whisker(x1, e.end, 0.8f);
}

void AveragePicture::draw(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, const Theme& theme, float y,
                          float height, float scale, SpanBatch& out, EventColours* colours) const {
  const LaneAverage* average = of(lane);
  if (!average) return;
  const Strips strips(height, average->rows.size(), scale);
  for (std::size_t r = 0; r < average->rows.size(); ++r) {
    const float y0 = y + static_cast<float>(r) * strips.pitch;
    draw_occupancy(average->rows[r], axis, trigger_ns, theme, y0, y0 + strips.height, out);
  }
  // Of several events within a pixel, draw any one: the occupancy shows all of them.
  float drawn_to = axis.left_px() - 1;
  std::size_t row = 0;
  for (const AverageEvent& e : average->events) {
    if (e.row != row) drawn_to = axis.left_px() - 1;
    row = e.row;
    const float x1 = axis.to_px(trigger_ns + whole(e.end.mean));
    if (!is_drawn(e) || x1 < drawn_to + 0.5f || axis.to_px(trigger_ns + whole(e.start.mean)) > axis.right_px())
      continue;
    drawn_to = x1;
    const float y0 = y + static_cast<float>(e.row) * strips.pitch;
    draw_event(e, axis, trigger_ns, theme, y0, y0 + strips.height, scale, out, lane, colours);
  }
}

double AveragePicture::occupancy_at(trace::LaneId lane, Nanoseconds t, float y, float height, float scale) const {
  const LaneAverage* average = of(lane);
  return average ? occupancy(lane, Strips(height, average->rows.size(), scale).row_at(y), t) : 0;
}

const AverageEvent* AveragePicture::hit(trace::LaneId lane, const TimeAxis& axis, Nanoseconds trigger_ns, float x,
                                        float y, float height, float scale) const {
  const LaneAverage* average = of(lane);
  if (!average || y < 0 || y >= height) return nullptr;
  const Strips strips(height, average->rows.size(), scale);
  const AverageEvent* nearest = nullptr;
  float least = 1.5f;  // a thin line can be hit from a pixel and a half away
  for (const AverageEvent& e : average->events) {
    if (!is_drawn(e) || (strips.pitch > 0 && e.row != strips.row_at(y))) continue;
    const float x0 = axis.to_px(trigger_ns + whole(e.start.mean));
    const float x1 = axis.to_px(trigger_ns + whole(e.end.mean));
    const float distance = std::max({x0 - x, x - x1, 0.0f});
    if (distance > least || (nearest && distance == least)) continue;
    nearest = &e;
    least = distance;
  }
  return nearest;
}

}  // namespace lanescope::ui
