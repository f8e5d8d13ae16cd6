// The durations in a selected range, as a histogram with logarithmic bins.
#include <fmt/format.h>
#include <imgui.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>

#include "base/time.h"
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

// Dashed lines through the bars, with labels over them: p50 at the left of its line, p99 at the right. If the lines are
// too close for that, the labels move to the edges.
void draw_percentiles(const Canvas& c, const EventGroups& events, const Rect& box) {
  const float s = c.scale;
  const float end = box.x + box.width;
  struct Mark {
    std::string says;
    float x, width, at;
  };
  const auto mark = [&](const char* name, Nanoseconds value, bool left) {
    const std::string says = (events.exact ? "" : "≈") + std::string(name) + " " + base::format_duration(value);
    const float width = text_width(c.fonts, FontRole::Small, says) + 2;
    const float x = std::round(box.x + box.width * share_of(events.bins, static_cast<double>(value)));
    return Mark{says, x, width, std::clamp(left ? x - width + 4 * s : x - 4 * s, box.x, std::max(box.x, end - width))};
  };
  std::array marks{mark("p50", events.all.p50_ns, true), mark("p99", events.all.p99_ns, false)};
  if (marks[0].at + marks[0].width + 8 * s > marks[1].at) {
    marks[0].at = box.x;
    marks[1].at = end - marks[1].width;
  }
  ImDrawList& list = *ImGui::GetWindowDrawList();
  for (const Mark& m : marks) {
    for (float y = box.y - 2 * s; y < box.y + box.height; y += 5 * s) {
      list.AddLine({m.x, y}, {m.x, std::min(y + 3 * s, box.y + box.height)}, c.theme[Colour::Text], s);
    }
    draw_label(c, {m.at, box.y - kAbove * s, m.width + 2, 15 * s}, c.theme[Colour::Text], FontRole::Small, m.says);
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
