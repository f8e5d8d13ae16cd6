// The durations in a selected range, as a histogram with logarithmic bins.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <chrono>
#include <cmath>

#include "base/clock.h"
#include "base/translate.h"
#include "render/labels.h"
#include "render/span_renderer.h"
#include "window/panels/details/details_panels.h"
#include "window/widgets.h"

namespace lanescope::ui {
namespace {

using analysis::DurationBins;
using analysis::EventGroups;
using base::tr;

constexpr float kBars = 72, kAbove = 18, kBelow = 18;

std::string histogram_ns_text(double ns) { return base::format_duration(static_cast<Nanoseconds>(std::llround(ns))); }

/// The duration of the event under the mouse elsewhere: on the timeline or in a list.
std::optional<Nanoseconds> pointed_duration(const ShellState& state) {
  if (state.event_list.hovered) return state.event_list.hovered->event.duration();
  if (state.search.hovered) return state.search.hovered->event.duration();
  if (state.pointed.hit && state.pointed.hit->event) return state.pointed.hit->event->event.duration();
  return std::nullopt;
}

// The position of a duration between the first and the last edge, 0 to 1.
float share_of(const DurationBins& s, double duration) {
  const double low = std::log(s.edges.front());
  const double high = std::log(s.edges.back());
  return static_cast<float>(std::clamp((std::log(std::max(duration, 1e-9)) - low) / (high - low), 0.0, 1.0));
}

void draw_percentile(const Canvas& c, const DurationBins& s, const Rect& box, Nanoseconds value,
                     const std::string& name, bool left) {
  const float x = std::round(box.x + box.width * share_of(s, static_cast<double>(value)));
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float scale = c.scale;
  for (float y = box.y - 2 * scale; y < box.y + box.height; y += 5 * scale) {
    list.AddLine({x, y}, {x, std::min(y + 3 * scale, box.y + box.height)}, c.theme[Colour::Text], scale);
  }
  const std::string says = name + " " + base::format_duration(value);
  const float width = text_width(c.fonts, FontRole::Small, says) + 2;
  // One label is to the left of its line and one to the right, so that they never meet.
  const float room_left = box.x;
  const float room_right = box.x + box.width;
  float at = left ? x - width + 4 * scale : x - 4 * scale;
  at = std::clamp(at, room_left, std::max(room_left, room_right - width));
  const Label label{at, box.y - kAbove * scale, width + 2, c.theme[Colour::Text], FontRole::Small, says, 15 * scale};
  draw_labels(list, c.fonts, {&label, 1});
}

// The two labels over the bars: p50 on the left, p99 in the remaining space.
void draw_percentiles(const Canvas& c, const EventGroups& s, const Rect& box) {
  const std::string about = s.exact ? "" : "≈";
  const float x50 = box.x + box.width * share_of(s.bins, static_cast<double>(s.all.p50_ns));
  const float x99 = box.x + box.width * share_of(s.bins, static_cast<double>(s.all.p99_ns));
  const float w50 = text_width(c.fonts, FontRole::Small, "p50 " + base::format_duration(s.all.p50_ns)) + 2;
  const float w99 = text_width(c.fonts, FontRole::Small, "p99 " + base::format_duration(s.all.p99_ns)) + 2;
  // If the lines are close, the labels would overlap: the left one moves all the way to the left.
  const float gap = 8 * c.scale;
  const float at99 = std::clamp(x99 - 4 * c.scale, box.x, box.x + box.width - w99);
  const float at50 = std::clamp(x50 - w50 + 4 * c.scale, box.x, box.x + box.width - w50);
  if (at50 + w50 + gap <= at99) {
    draw_percentile(c, s.bins, box, s.all.p50_ns, about + "p50", true);
    draw_percentile(c, s.bins, box, s.all.p99_ns, about + "p99", false);
    return;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  const float y = box.y - kAbove * c.scale;
  const std::uint32_t ink = c.theme[Colour::Text];
  const Label labels[] = {{box.x, y, w50 + 10 * c.scale, ink, FontRole::Small,
                           about + "p50 " + base::format_duration(s.all.p50_ns), 15 * c.scale},
                          {box.x + box.width - w99 - 10 * c.scale, y, w99 + 10 * c.scale, ink, FontRole::Small,
                           about + "p99 " + base::format_duration(s.all.p99_ns), 15 * c.scale, LabelAlign::Right}};
  draw_labels(list, c.fonts, labels);
  for (const float x : {std::round(x50), std::round(x99)}) {
    for (float dash = box.y - 2 * c.scale; dash < box.y + box.height; dash += 5 * c.scale) {
      list.AddLine({x, dash}, {x, std::min(dash + 3 * c.scale, box.y + box.height)}, ink, c.scale);
    }
  }
}

// Round durations below the bars: powers of ten, with values between them if there are few powers.
void draw_scale(const Canvas& c, const DurationBins& s, const Rect& box) {
  ImDrawList& list = *ImGui::GetWindowDrawList();
  std::vector<Label> labels;
  float free_from = box.x;
  const float y = box.y + box.height + 3 * c.scale;
  const auto add = [&](double value) {
    if (value < s.edges.front() || value > s.edges.back()) return;
    const std::string says = histogram_ns_text(value);
    const float width = text_width(c.fonts, FontRole::Small, says) + 2;
    const float x = box.x + box.width * share_of(s, value);
    const float at = std::clamp(x - width / 2, box.x, box.x + box.width - width);
    if (at < free_from) return;
    labels.push_back({at, y, width + 2, c.theme.as_text(Colour::Muted), FontRole::Small, says, 14 * c.scale});
    free_from = at + width + 10 * c.scale;
    list.AddLine({x, box.y + box.height}, {x, box.y + box.height + 3 * c.scale}, c.theme[Colour::Faint]);
  };
  const bool wide = s.edges.back() / s.edges.front() > 300;
  for (double decade = 1; decade <= s.edges.back(); decade *= 10) {
    for (const double step : {1.0, 2.0, 5.0}) {
      if (step == 1.0 || !wide) add(decade * step);
    }
  }
  if (labels.empty()) {  // all events have one duration
    add(s.edges.front());
    add(s.edges.back());
  }
  draw_labels(list, c.fonts, labels);
}

}  // namespace

void draw_range_histogram(const Canvas& c) {
  ShellState& state = c.state;
  if (!state.range_figures.job.answer) return;
  const EventGroups& events = state.range_figures.job.answer->events;
  const DurationBins& s = events.bins;
  const float scale = c.scale;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = ImGui::GetContentRegionAvail().x;
  if (s.counts.empty()) return;
  const Rect box{at.x, at.y + kAbove * scale, width, kBars * scale};
  ImGui::InvisibleButton("##histogram", {width, (kAbove + kBars + kBelow) * scale});
  const bool hovered = ImGui::IsItemHovered();
  state.places["range.histogram"] = box;

  const std::int64_t most = *std::max_element(s.counts.begin(), s.counts.end());
  const auto n = static_cast<float>(s.counts.size());
  std::optional<std::size_t> lit;
  if (hovered) {
    const float share = (ImGui::GetIO().MousePos.x - box.x) / box.width;
    lit = static_cast<std::size_t>(std::clamp(share * n, 0.0f, n - 1));
  } else if (const auto duration = pointed_duration(state)) {
    lit = s.bin_of(*duration);
  }
  RangeFigures& figures = state.range_figures;
  if (figures.lit_bin != lit) {
    figures.lit_bin = lit;
    figures.lit_since.reset();
    if (lit && state.preferences.animation) figures.lit_since = base::now();
  }
  float pulse = 0;
  if (figures.lit_since) {
    const double passed = std::chrono::duration<double>(base::now() - *figures.lit_since).count();
    pulse = std::max(0.0f, 1 - static_cast<float>(passed / kPulseSeconds));
  }
  SpanBatch batch;
  batch.solid(box.x, box.y, box.x + box.width, box.y + box.height, c.theme[Colour::Row], 3 * scale);
  for (std::size_t i = 0; i < s.counts.size(); ++i) {
    const float x0 = box.x + box.width * static_cast<float>(i) / n;
    const float x1 = box.x + box.width * static_cast<float>(i + 1) / n;
    const bool on = lit == i;
    if (on) {
      batch.solid(x0, box.y, x1, box.y + box.height, with_alpha(c.theme[Colour::Selection], 0.12f + 0.3f * pulse));
    }
    if (s.counts[i] == 0) continue;
    // Keep one event among thousands visible.
    const float height =
        std::max(2.5f * scale, (box.height - 4 * scale) * static_cast<float>(s.counts[i]) / static_cast<float>(most));
    const float bottom = box.y + box.height;
    batch.solid(x0 + 0.5f, bottom - height, x1 - 0.5f, bottom, c.theme[on ? Colour::Selection : Colour::Accent],
                std::min(1.5f * scale, (x1 - x0) / 3));
  }
  add_to_draw_list(*ImGui::GetWindowDrawList(), c.spans, batch);
  draw_percentiles(c, events, box);
  draw_scale(c, s, box);
  if (hovered && lit) {
    ImGui::SetTooltip(
        "%s", tr("{} to {}: {} of {} events", histogram_ns_text(s.edges[*lit]), histogram_ns_text(s.edges[*lit + 1]),
                 base::format_count(s.counts[*lit]), base::format_count(events.all.count))
                  .c_str());
  }
}

}  // namespace lanescope::ui
