#include "timeline/job_bands.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/translate.h"

namespace lanescope::ui {
namespace {

using analysis::Collective;
using analysis::CollectivePart;
using analysis::Collectives;
using trace::GpuNumber;
using trace::LaneId;
using trace::LaneKind;

constexpr float kPartPx = 3;              // narrower parts are drawn as one
constexpr std::size_t kSampled = 16;      // of the collectives in one column of the strip
constexpr std::size_t kMostParts = 4000;  // looked at one by one; with more, every n-th

// The first collective whose last part ends after t. Collectives are in the order of the first GPU's starts, so their
// last starts may be slightly out of order; a little earlier is early enough.
std::size_t first_after(const Collectives& all, Nanoseconds t) {
  const auto found =
      std::ranges::lower_bound(all.all, t, {}, [](const Collective& c) { return c.parts.front().end_ns; });
  const auto at = static_cast<std::size_t>(found - all.all.begin());
  return at - std::min<std::size_t>(at, 8);
}

Nanoseconds first_start(const Collective& c) {
  return std::ranges::min_element(c.parts, {}, &CollectivePart::start_ns)->start_ns;
}
Nanoseconds last_end(const Collective& c) {
  return std::ranges::max_element(c.parts, {}, &CollectivePart::end_ns)->end_ns;
}
const CollectivePart* part_of(const Collective& c, GpuNumber gpu) {
  const auto found = std::ranges::find(c.parts, gpu, &CollectivePart::gpu);
  return found == c.parts.end() ? nullptr : &*found;
}

// Those that touch the axis: every n-th if there are very many.
template <typename Visit>
void for_visible(const Collectives& all, const TimeAxis& axis, Visit visit) {
  const std::size_t first = first_after(all, axis.begin_ns());
  const std::size_t last = std::min(all.all.size(), first_after(all, axis.end_ns()) + 16);
  const std::size_t step = std::max<std::size_t>(1, (last - first) / kMostParts);
  for (std::size_t k = first; k < last; k += step) visit(k, all.all[k]);
}

// Most of its kernels are collectives.
bool communicates(const trace::Trace& trace, LaneId id) {
  constexpr trace::EventIndex kLooked = 256;
  const trace::Lane& lane = trace.lane(id);
  if (lane.row_count() == 0) return false;
  const trace::Row& row = lane.row(0);
  trace::EventIndex kernels = 0, collectives = 0;
  for (auto i = row.first(); i < row.last() && kernels < kLooked; ++i, ++kernels) {
    if (!analysis::collective_operation(trace.names().text(row.look(i).name)).empty()) ++collectives;
  }
  return 2 * collectives > kernels;
}

}  // namespace

std::uint32_t gpu_colour(const Theme& theme, GpuNumber gpu) {
  constexpr std::array<std::size_t, kCategories> kFarApart{0, 8, 5, 9, 3, 6, 4, 1, 7, 2};
  return theme.categories[kFarApart[gpu % kCategories]];
}

float JobBands::height(std::size_t bands, bool strip, float scale) {
  const auto n = static_cast<float>(bands);
  return ((strip ? kStripHeight + kStripGap : 0) + n * (kBandHeight + kBandGap)) * scale;
}

JobBands::Parts JobBands::parts_of(float top, float s) {
  return {top, top + 20 * s, top + 34 * s, top + 39 * s, top + kBandHeight * s};
}

void JobBands::find_lanes(const JobFrame& frame) {
  const bool known = lanes_of_ == &frame.trace && lanes_seen_ == frame.trace.lane_count() &&
                     collectives_seen_ == !frame.collectives.all.empty();
  if (known) return;
  lanes_of_ = &frame.trace;
  lanes_seen_ = frame.trace.lane_count();
  collectives_seen_ = !frame.collectives.all.empty();
  lanes_.clear();
  const trace::Trace::ReadLock lock(frame.trace);
  for (std::size_t l = 0; l < lanes_seen_; ++l) {
    const auto lane = static_cast<LaneId>(l);
    const trace::LaneInfo& info = frame.trace.lane(lane).info();
    if (trace::is_gpu_work_lane(info.kind)) {
      Lanes& of = lanes_[frame.owners.gpu_of(lane)];
      auto& kind = info.kind != LaneKind::Kernels    ? of.copies
                   : communicates(frame.trace, lane) ? of.communication
                                                     : of.compute;
      kind.push_back(std::make_unique<LaneRow>(lane));
    }
  }
  for (std::size_t l = 0; l < lanes_seen_; ++l) {
    const auto lane = static_cast<LaneId>(l);
    if (frame.trace.lane(lane).info().kind != LaneKind::Calls) continue;
    for (auto& [gpu, of] : lanes_) {
      if (gpu != trace::kNobody && frame.owners.gpus()[gpu].process == frame.owners.process_of(lane))
        of.calls.push_back(std::make_unique<LaneRow>(lane));
    }
  }
}

void JobBands::prepare(const JobFrame& frame, const TimeAxis& axis, const Rect& area) {
  rows_.clear();
  names_.clear();
  ribbons_.clear();
  places_.clear();
  const float s = frame.scale;
  find_lanes(frame);
  const bool strip = !frame.collectives.all.empty();
  strip_ = strip ? Rect{axis.left_px(), area.y, axis.width_px(), kStripHeight * s} : Rect{};
  const float first = area.y + (strip ? (kStripHeight + kStripGap) * s : 0);
  const RowContext context{frame.trace, frame.analysis, axis, frame.theme, frame.live_edge, s, false};
  for (std::size_t b = 0; b < frame.bands.size(); ++b) {
    const float top = first + static_cast<float>(b) * (kBandHeight + kBandGap) * s;
    places_.push_back({area.x, top, area.width, kBandHeight * s});
    if (const auto lanes = lanes_.find(frame.bands[b].gpu); lanes != lanes_.end()) {
      add_band(frame, context, lanes->second, lanes->first, top);
    }
    add_parts(frame, axis, b, top);
  }
  if (strip) add_strip(frame, axis, strip_);
  add_ribbons(frame, axis);
  add_names(frame, axis, area);
}

void JobBands::add_band(const JobFrame& frame, const RowContext& context, const Lanes& lanes, GpuNumber gpu,
                        float top) {
  const float s = frame.scale;
  const Parts parts = parts_of(top, s);
  const TimeAxis& axis = context.axis;
  rows_.solid(axis.left_px(), top, axis.right_px(), parts.end, frame.theme[Colour::Row]);
  add_lanes(context, lanes.compute, parts.compute, parts.communication - s, std::nullopt);
  // Collectives on a lane with other kernels are not computing.
  for_visible(frame.collectives, axis, [&](std::size_t, const Collective& one) {
    const CollectivePart* part = part_of(one, gpu);
    if (!part || std::ranges::none_of(lanes.compute, [&](const auto& l) { return l->lane() == part->place.lane; }))
      return;
    const float x0 = axis.to_px(part->start_ns), x1 = axis.to_px(part->end_ns);
    if (x1 - x0 >= 1) rows_.solid(x0, top, x1, parts.communication - s, frame.theme[Colour::Row]);
  });
  add_lanes(context, lanes.communication, parts.communication, parts.copies - s, frame.theme[Colour::CopyOther]);
  add_lanes(context, lanes.copies, parts.copies, parts.calls - s, std::nullopt);
  add_lanes(context, lanes.calls, parts.calls, parts.end, std::nullopt);
}

void JobBands::add_lanes(const RowContext& context, const std::vector<std::unique_ptr<LaneRow>>& lanes, float top,
                         float bottom, std::optional<std::uint32_t> kernel_colour) {
  scratch_.clear();
  for (const auto& lane : lanes) {
    lane->set_shape({bottom - top, 0, bottom - top});  // its rows lie on top of each other
    lane->prepare(context, top, scratch_);
  }
  for (Span& span : scratch_.spans) {
    if (kernel_colour && span.colour == context.theme[Colour::Kernel]) span.colour = *kernel_colour;
    rows_.add(span);
  }
}

// Hatched until the last GPU has arrived, solid from then on.
void JobBands::add_parts(const JobFrame& frame, const TimeAxis& axis, std::size_t band, float top) {
  const float s = frame.scale;
  const Parts parts = parts_of(top, s);
  const GpuNumber gpu = frame.bands[band].gpu;
  const float y0 = parts.communication, y1 = parts.copies - s;
  const std::uint32_t solid = frame.theme[Colour::CopyOther];
  const std::uint32_t ground = mix(frame.theme[Colour::Row], solid, 0.25f);
  for_visible(frame.collectives, axis, [&](std::size_t, const Collective& one) {
    const CollectivePart* part = part_of(one, gpu);
    if (!part || !axis.overlaps(part->start_ns, part->end_ns)) return;
    const float x0 = axis.to_px(part->start_ns), x1 = axis.to_px(part->end_ns);
    if (x1 - x0 < kPartPx) return;
    const float middle = std::clamp(axis.to_px(one.last_start_ns), x0, x1);
    rows_.solid(x0, y0, x1, y1, frame.theme[Colour::Row]);
    if (middle - x0 >= 1) rows_.styled(SpanStyle::Hatched, x0, y0, middle, y1, ground, solid);
    if (x1 - middle >= 0.5f) rows_.solid(middle, y0, x1, y1, solid, x1 - middle > 8 ? 2 * s : 0);
  });
}

// For each column, the GPU that arrived last in most of its collectives.
void JobBands::add_strip(const JobFrame& frame, const TimeAxis& axis, const Rect& strip) {
  const Collectives& all = frame.collectives;
  rows_.solid(strip.x, strip.y, strip.x + strip.width, strip.y + strip.height, frame.theme[Colour::Row]);
  const float y1 = strip.y + strip.height;
  const std::size_t last = std::min(all.all.size(), first_after(all, axis.end_ns()) + 16);
  std::map<GpuNumber, std::size_t> counts;
  for (std::size_t k = first_after(all, axis.begin_ns()); k < last;) {
    const Collective& one = all.all[k];
    const Nanoseconds from = first_start(one);
    const float x0 = axis.to_px(from);
    float x1 = axis.to_px(last_end(one));
    GpuNumber gpu = one.parts[one.last].gpu;
    std::size_t next = k + 1;
    if (x1 - x0 < kPartPx) {
      const Nanoseconds column = from + std::max<Nanoseconds>(1, axis.length_ns(kPartPx));
      const auto past = std::ranges::lower_bound(all.all.begin() + static_cast<std::ptrdiff_t>(next),
                                                 all.all.begin() + static_cast<std::ptrdiff_t>(last), column, {},
                                                 [](const Collective& c) { return c.parts.front().start_ns; });
      next = std::max(next, static_cast<std::size_t>(past - all.all.begin()));
      const std::size_t step = std::max<std::size_t>(1, (next - k) / kSampled);
      counts.clear();
      for (std::size_t i = k; i < next; i += step) ++counts[all.all[i].parts[all.all[i].last].gpu];
      gpu = std::ranges::max_element(counts, {}, [](const auto& c) { return c.second; })->first;
      x1 = std::max(x0 + 1.5f, axis.to_px(last_end(all.all[next - 1])));
    }
    if (x1 > axis.left_px() && x0 < axis.right_px()) {
      rows_.solid(x0, strip.y, x1, y1, gpu_colour(frame.theme, gpu), x1 - x0 > 8 ? 3 * frame.scale : 0);
    }
    k = next;
  }
}

void JobBands::add_ribbons(const JobFrame& frame, const TimeAxis& axis) {
  const float s = frame.scale;
  float drawn_to = -1e9f;
  for_visible(frame.collectives, axis, [&](std::size_t k, const Collective& one) {
    const float x0 = axis.to_px(first_start(one)), x1 = axis.to_px(last_end(one));
    const bool selected = frame.selected == k;
    // Those that lie on one another would hide each other.
    if (ribbons_.size() > kMostRibbons || (!selected && (x1 - x0 < kLeastRibbon || x0 < drawn_to))) return;
    drawn_to = std::max(drawn_to, x0 + 2);
    const CollectivePart* above = nullptr;
    float above_bottom = 0;
    for (std::size_t b = 0; b < frame.bands.size(); ++b) {
      const CollectivePart* part = part_of(one, frame.bands[b].gpu);
      if (!part) continue;
      const Parts parts = parts_of(places_[b].y, s);
      if (above) {
        const std::uint32_t colour = frame.theme[selected ? Colour::SelectionLink : Colour::CopyOther];
        ribbons_.push_back({above_bottom, parts.communication, axis.to_px(above->start_ns), axis.to_px(above->end_ns),
                            axis.to_px(part->start_ns), axis.to_px(part->end_ns),
                            with_alpha(colour, selected ? 0.35f : 0.16f), with_alpha(colour, selected ? 1.0f : 0.6f)});
      }
      above = part;
      above_bottom = parts.copies - s;
    }
  });
}

void JobBands::add_names(const JobFrame& frame, const TimeAxis& axis, const Rect& area) {
  const float s = frame.scale;
  const float left = area.x + 16 * s;
  if (strip_.height > 0) {
    names_.add({left, strip_.y, axis.left_px() - left - 4 * s, frame.theme[Colour::Muted], FontRole::Small,
                std::string(base::tr("arrived last")), strip_.height});
  }
  for (std::size_t b = 0; b < frame.bands.size(); ++b) {
    const JobBand& band = frame.bands[b];
    const float top = places_[b].y;
    const float chip = 9 * s, text = left + chip + 6 * s;
    if (strip_.height > 0) {
      names_.solid(left, top + 8 * s, left + chip, top + 8 * s + chip, gpu_colour(frame.theme, band.gpu), 2 * s);
    }
    const float x = strip_.height > 0 ? text : left;
    const float width = axis.left_px() - x - 4 * s;
    names_.add({x, top + 4 * s, width, frame.theme[Colour::Text], FontRole::Body, band.name, 18 * s});
    names_.add({x, top + 21 * s, width, frame.theme[Colour::Muted], FontRole::Small, band.note, 16 * s});
  }
}

std::optional<std::size_t> JobBands::collective_at(const JobFrame& frame, const TimeAxis& axis, float x,
                                                   float y) const {
  constexpr float kReach = 3;
  const bool strip = in_strip(y);
  const std::optional<std::size_t> band = band_at(y);
  std::optional<std::size_t> found;
  float nearest = kReach;
  for_visible(frame.collectives, axis, [&](std::size_t k, const Collective& one) {
    Nanoseconds from = first_start(one), to = last_end(one);
    if (!strip) {
      const CollectivePart* part = band ? part_of(one, frame.bands[*band].gpu) : nullptr;
      if (!part) return;
      from = part->start_ns;
      to = part->end_ns;
    }
    const float x0 = axis.to_px(from), x1 = axis.to_px(to);
    const float distance = std::max({x0 - x, x - x1, 0.0f});
    if (distance >= nearest) return;
    nearest = distance;
    found = k;
  });
  if (strip || !band) return found;
  const Parts parts = parts_of(places_[*band].y, frame.scale);
  return y >= parts.communication && y < parts.copies ? found : std::nullopt;
}

std::optional<std::size_t> JobBands::band_at(float y) const {
  for (std::size_t b = 0; b < places_.size(); ++b) {
    if (y >= places_[b].y && y < places_[b].y + places_[b].height) return b;
  }
  return std::nullopt;
}

}  // namespace lanescope::ui
