// What lies over the lanes of a timeline: ruler, bubbles, the unknown edge, calls that last, markers, the selection.
#include <algorithm>
#include <cctype>
#include <cmath>
#include <functional>

#include "base/guess_search.h"
#include "base/translate.h"
#include "ui/timeline.h"
#include "workload/workload.h"

namespace lanescope::ui {
namespace {

using base::tr;

constexpr float kBubbleMinPx = 5;
constexpr float kBubbleLabelPx = 30;
constexpr float kTextHeight = 13.5f;  // lower lanes have no text

void dashed_vertical(SpanBatch& out, float x, float y0, float y1, std::uint32_t colour, float scale) {
  for (float y = y0; y < y1; y += 7 * scale) {
    out.solid(x - 0.75f * scale, y, x + 0.75f * scale, std::min(y + 4 * scale, y1), colour);
  }
}

// Where an open call's bar begins: nothing that is in the trace already is drawn again. Empty: the call has come back.
std::optional<Nanoseconds> open_from(const trace::Trace& trace, const trace::OpenCall& call) {
  const trace::Lane& lane = trace.lane(call.lane);
  Nanoseconds from = call.start_ns;
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const trace::EventIndex last = row.last();
    if (last == row.first()) continue;
    if (row.start(last - 1) >= call.start_ns) return std::nullopt;
    if (r == 0) from = std::max(from, row.end(last - 1));
  }
  return from;
}

struct KnobLabel {
  std::string in_marker, label;
};

// All knobs' labels, and as a marker has them; of two that begin alike the longer one first.
const std::vector<KnobLabel>& knob_labels() {
  static const std::vector<KnobLabel> all = [] {
    std::vector<KnobLabel> found;
    for (const std::string& workload : workload::workload_names()) {
      const workload::Settings settings = workload::default_settings(workload, {});
      for (const workload::SettingSpec& spec : settings.specs()) {
        KnobLabel knob{spec.label, spec.label};
        for (char& c : knob.in_marker) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        found.push_back(std::move(knob));
      }
    }
    std::ranges::stable_sort(found, std::ranges::greater{}, [](const KnobLabel& k) { return k.in_marker.size(); });
    return found;
  }();
  return all;
}

// A trace has its markers in English, whatever language it was recorded in: "log interval 1 → 100, feed resident →
// ...".
std::string translated_marker(std::string_view text) {
  if (base::language() == base::Language::English) return std::string(text);
  std::string translated;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(", "), text.size());
    const std::string_view part = text.substr(0, end);
    const auto knob = std::ranges::find_if(knob_labels(), [&](const KnobLabel& k) {
      return part.starts_with(k.in_marker) && part.substr(k.in_marker.size()).starts_with(' ');
    });
    if (!translated.empty()) translated += ", ";
    translated += knob == knob_labels().end() ? std::string(tr(std::string(part)))
                                              : tr(knob->label) + std::string(part.substr(knob->in_marker.size()));
    text.remove_prefix(std::min(end + 2, text.size()));
  }
  return translated;
}

// Two turns of one knob as one: from the first's old value to the last's new one; else the first alone.
std::string one_turn(std::string_view first, std::string_view last) {
  constexpr std::string_view kArrow = " → ";
  const auto split = [&](std::string_view text) {
    const std::size_t arrow = text.find(kArrow);
    return arrow == std::string_view::npos || text.find(kArrow, arrow + 1) != std::string_view::npos
               ? std::string_view::npos
               : arrow;
  };
  const std::size_t a = split(first);
  const std::size_t b = split(last);
  if (a == std::string_view::npos || b == std::string_view::npos) return std::string(first);
  const auto knob = [](std::string_view text) { return text.substr(0, text.rfind(' ')); };
  if (knob(first.substr(0, a)) != knob(last.substr(0, b))) return std::string(first);
  return std::string(first.substr(0, a)) + std::string(last.substr(b));
}

}  // namespace

std::string marker_text(std::string_view first, std::string_view last) {
  return translated_marker(one_turn(first, last));
}

void Timeline::add_ruler(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  const float s = frame.scale;
  const Ruler ruler = make_ruler(axis, 84 * s, frame.label_origin, 7.3f * s);
  const float rows_top = area.y + kRulerHeight * s;
  const std::string unit = ruler.base.empty() ? ruler.unit : ruler.unit + "  " + ruler.base;
  top_batch_.add({area.x + 16 * s, area.y + 6 * s, (kLabelWidth - 20) * s, frame.theme[Colour::Muted],
                  FontRole::MonoSmall, unit, 18 * s});
  for (Tick tick : ruler.ticks) {
    tick.px = std::floor(tick.px) + 0.5f;  // on whole pixels: a crisp line
    if (tick.major) {
      SpanBatch& grid = splits_ ? scrolled_.rows : rows_batch_;
      grid.solid(tick.px - 0.5f, rows_top, tick.px + 0.5f, area.y + area.height, frame.theme[Colour::Grid]);
      const float half = 60 * s;
      if (tick.px + 18 * s < axis.right_px()) {
        top_batch_.add({tick.px - half, area.y + 6 * s, 2 * half, frame.theme[Colour::Muted], FontRole::MonoSmall,
                        tick.label, 18 * s, LabelAlign::Centre});
      }
    }
    const float length = (tick.major ? 5 : 3) * s;
    top_batch_.solid(tick.px - 0.5f, rows_top - length, tick.px + 0.5f, rows_top, frame.theme[Colour::Faint]);
  }
}

// Bubbles are of the whole GPU, so they are drawn once, in the first row of kernels, where nothing runs.
void Timeline::add_bubbles(const TimelineFrame& frame, const RowContext& context) {
  const Placed* kernels = kernel_row(frame.trace);
  if (!kernels || !frame.analysis) return;
  if (frame.average && frame.average->has(kernels->lane_row->lane())) {
    return add_average_bubbles(frame, context.axis, *kernels);
  }
  const auto& bubbles = frame.analysis->bubbles();
  const TimeAxis& axis = context.axis;
  const auto ends_after = [&](auto from, Nanoseconds t) {
    const auto first = static_cast<std::size_t>(from - bubbles.begin());
    return bubbles.begin() + static_cast<std::ptrdiff_t>(base::first_above(
                                 first, bubbles.size(), t, [&](std::size_t i) { return bubbles[i].end_ns; }));
  };
  const Nanoseconds least = std::max<Nanoseconds>(1, axis.length_ns(kBubbleMinPx));
  SpanBatch& out = rows_of(*kernels);
  const float height = kernels->height();
  const float inset = std::min(3 * frame.scale, height * 0.1f);
  for (auto b = ends_after(bubbles.begin(), axis.begin_ns()); b != bubbles.end() && b->start_ns < axis.end_ns();) {
    const bool edge = b->cause == analysis::BubbleCause::StartOrEnd;
    if (b->duration() < least) {
      b = ends_after(std::next(b), b->start_ns + least);
      continue;
    }
    if (!edge && b->start_ns < frame.live_edge) {
      const float x0 = axis.to_px(b->start_ns);
      const float x1 = axis.to_px(std::min(b->end_ns, frame.live_edge));
      if (x1 - x0 >= kBubbleMinPx) {
        out.styled(SpanStyle::Dashed, x0 + 1, kernels->y + inset, x1 - 1, kernels->y + height - inset,
                   frame.theme[Colour::BubbleGround], frame.theme[Colour::Bubble], 3 * frame.scale);
        const float left = std::max(x0, axis.left_px()) + 3 * frame.scale;
        const float right = std::min(x1, axis.right_px()) - 3 * frame.scale;
        if (right - left >= kBubbleLabelPx * frame.scale && height >= kTextHeight * frame.scale) {
          std::string text = tr("idle");
          if (right - left > 76 * frame.scale) text += " " + base::format_duration(b->duration());
          out.add({left, kernels->y, right - left, frame.theme[Colour::Bubble], FontRole::Small, text, height,
                   LabelAlign::Centre});
        }
      }
    }
    ++b;
  }
}

// Where the GPU idles in all but a few of the pictures.
void Timeline::add_average_bubbles(const TimelineFrame& frame, const TimeAxis& axis, const Placed& kernels) {
  const float s = frame.scale;
  const float height = kernels.height();
  const float inset = std::min(3 * s, height * 0.1f);
  SpanBatch& out = rows_of(kernels);
  for (const AverageIdle& idle : frame.average->idle()) {
    const float x0 = axis.to_px(frame.average_at + idle.from);
    const float x1 = axis.to_px(frame.average_at + idle.to);
    if (x1 - x0 < kBubbleMinPx || x1 < axis.left_px() || x0 > axis.right_px()) continue;
    const auto presence = static_cast<float>(idle.share);
    out.styled(SpanStyle::Dashed, x0 + 1, kernels.y + inset, x1 - 1, kernels.y + height - inset,
               with_alpha(frame.theme[Colour::BubbleGround], 0.5f * presence),
               with_alpha(frame.theme[Colour::Bubble], presence), 3 * s);
    const float left = std::max(x0, axis.left_px()) + 3 * s;
    const float right = std::min(x1, axis.right_px()) - 3 * s;
    if (right - left < kBubbleLabelPx * s || height < kTextHeight * s) continue;
    std::string text = tr("idle");
    if (right - left > 76 * s) text += " " + base::format_duration(idle.to - idle.from);
    out.add({left, kernels.y, right - left, frame.theme[Colour::Bubble], FontRole::Small, text, height,
             LabelAlign::Centre});
  }
}

void Timeline::add_unknown(const TimelineFrame& frame, const TimeAxis& axis) {
  if (!frame.live || frame.live_edge >= axis.end_ns() || placed_.empty()) return;
  const float x0 = std::max(axis.left_px(), axis.to_px(frame.live_edge));
  const Placed* last = nullptr;
  for (const Placed& p : placed_) {
    if (p.height() <= 0) continue;
    if (!last || p.y > last->y) last = &p;
    rows_of(p).styled(SpanStyle::Unknown, x0, p.y, axis.right_px(), p.y + p.height(),
                      with_alpha(frame.theme[Colour::Unknown], 0), frame.theme[Colour::Unknown]);
  }
  if (!last) return;
  const float s = frame.scale;
  rows_of(*last).add({axis.right_px() - 140 * s, last->y + last->height() + 2 * s, 136 * s, frame.theme[Colour::Dim],
                      FontRole::Small, tr("not yet known"), 16 * s, LabelAlign::Right});
}

// A call that is not back yet is in no trace: its wait is drawn while it grows, over what is not known yet.
void Timeline::add_open_calls(const TimelineFrame& frame, const RowContext& context) {
  open_bars_.clear();
  const float s = frame.scale;
  const TimeAxis& axis = context.axis;
  for (const trace::OpenCall& call : frame.open_calls) {
    const Placed* p = find(call.lane);
    if (!p || p->height() < 1) continue;
    const auto from = open_from(frame.trace, call);
    if (!from || *from >= frame.now || !axis.overlaps(*from, frame.now)) continue;
    const float x0 = std::max(axis.to_px(*from), axis.left_px() - 8 * s);
    const float x1 = std::min(axis.to_px(frame.now), axis.right_px() + 8 * s);
    if (x1 - x0 < 1) continue;
    const float height = std::min(p->shape.event, p->height());
    SpanBatch& out = rows_of(*p);
    out.styled(SpanStyle::Hatched, x0, p->y, x1, p->y + height, frame.theme[Colour::WaitGround],
               frame.theme[Colour::Wait], x1 - x0 > 8 ? 3 * s : 0);
    // Its right end is open: it fades into what is to come.
    constexpr int kSteps = 6;
    const float fade = std::min(30 * s, (x1 - x0) / 2);
    for (int i = 0; i < kSteps; ++i) {
      const float share = static_cast<float>(i + 1) / (kSteps + 1);
      const float left = x1 - fade + fade * static_cast<float>(i) / kSteps;
      out.solid(left, p->y, left + fade / kSteps, p->y + height, with_alpha(frame.theme[Colour::Row], share));
    }
    open_bars_.push_back({{x0, p->y, x1 - x0, height}, call});
    const float left = std::max(x0, axis.left_px()) + 6 * s;
    const float right = std::min(x1, axis.right_px()) - 6 * s;
    if (right - left < 40 * s || height < kTextHeight * s) continue;
    // The longest wording that there is room for (a letter of this font is about 6.4 pixels wide).
    const std::string so_far = std::string(tr("so far")) + " " + base::format_duration(frame.now - call.start_ns);
    std::string says = std::string(frame.trace.names().text(call.name)) + " " + so_far;
    if (static_cast<float>(says.size()) > (right - left) / (6.4f * s)) says = so_far;
    out.add({left, p->y, right - left, frame.theme[Colour::WaitInk], FontRole::Small, says, height, LabelAlign::Centre,
             frame.theme[Colour::Pill]});
  }
}

void Timeline::add_markers(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.analysis) return;
  const auto& markers = frame.analysis->markers();
  const float s = frame.scale;
  auto m = std::lower_bound(markers.begin(), markers.end(), axis.begin_ns(),
                            [](const trace::Event& e, Nanoseconds t) { return e.start_ns < t; });
  const auto end = std::min(axis.end_ns(), frame.live_edge + 1);
  while (m != markers.end() && m->start_ns < end) {
    const float x = axis.to_px(m->start_ns);
    // Those that stand so close that their flags would cover each other share one.
    auto last = m;
    for (auto next = m; next != markers.end() && next->start_ns < end && axis.to_px(next->start_ns) < x + 150 * s;
         ++next) {
      dashed_vertical(rows_batch_, axis.to_px(next->start_ns), area.y + kRulerHeight * s, area.y + area.height,
                      frame.theme[Colour::Marker], s);
      last = next;
    }
    const auto& names = frame.trace.names();
    top_batch_.add({x + 6 * s, area.y + 5 * s, 260 * s, frame.theme[Colour::Text], FontRole::Small,
                    marker_text(names.text(m->name), names.text(last->name)), 20 * s, LabelAlign::Left,
                    frame.theme[Colour::PanelRaised]});
    m = std::next(last);
  }
}

void Timeline::add_range(const TimelineFrame& frame, const TimeAxis& axis, const Rect& area) {
  if (!frame.selection) return;
  const Selection& selection = *frame.selection;
  const float s = frame.scale;
  if (selection.range) {
    const float x0 = std::max(axis.to_px(selection.range->first), axis.left_px());
    const float x1 = std::min(axis.to_px(selection.range->second), axis.right_px());
    if (x1 > x0) {
      const float y0 = area.y + kRulerHeight * s;
      const float y1 = area.y + area.height;
      if (selection.lanes.empty()) rows_batch_.solid(x0, y0, x1, y1, frame.theme[Colour::RangeSelection]);
      for (const trace::LaneId lane : selection.lanes) {
        const Placed* p = find(lane);
        if (p) rows_of(*p).solid(x0, p->y, x1, p->y + p->height(), frame.theme[Colour::RangeSelection]);
      }
      rows_batch_.solid(x0 - s, y0, x0, y1, frame.theme[Colour::Accent]);
      rows_batch_.solid(x1, y0, x1 + s, y1, frame.theme[Colour::Accent]);
      // The numbers of the ruler that it would half cover give way.
      std::erase_if(top_batch_.labels, [&](const Label& label) {
        return label.font == FontRole::MonoSmall && label.align == LabelAlign::Centre &&
               std::abs(label.x + label.max_width / 2 - (x0 + x1) / 2) < 52 * s;
      });
      top_batch_.add({(x0 + x1) / 2 - 80 * s, area.y + 5 * s, 160 * s, frame.theme[Colour::AccentInk],
                      FontRole::SmallBold, base::format_duration(selection.range->second - selection.range->first),
                      20 * s, LabelAlign::Centre, frame.theme[Colour::Accent]});
    }
  }
}

}  // namespace lanescope::ui
