#include "app/html_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <tuple>
#include <utility>

#include "analysis/recorded_time.h"
#include "analysis/warm_up.h"

namespace lanescope::app::html {
namespace {

using analysis::IterationRecord;
using base::Nanoseconds;

// The steady-state records of which the trace still has the events.
std::span<const IterationRecord> steady_records(const trace::Trace& trace, const analysis::LiveAnalysis& analysis) {
  const std::span<const IterationRecord> records = analysis::steady_records(analysis.records());
  const analysis::KeptRange kept = analysis::kept_range(trace);
  const auto first = std::partition_point(records.begin(), records.end(),
                                          [&](const IterationRecord& r) { return r.start_ns < kept.from; });
  return records.subspan(static_cast<std::size_t>(first - records.begin()));
}

// The longest bubble that lies within the stretch, if it is long enough to be visible.
std::optional<analysis::Bubble> longest_bubble(const analysis::LiveAnalysis& analysis, Nanoseconds from,
                                               Nanoseconds to) {
  constexpr Nanoseconds kSeen = 50;  // share of the width: 1 / 50
  const auto& bubbles = analysis.bubbles();
  auto at = std::partition_point(bubbles.begin(), bubbles.end(),
                                 [&](const analysis::Bubble& b) { return b.start_ns < from; });
  std::optional<analysis::Bubble> longest;
  for (; at != bubbles.end() && at->start_ns < to; ++at) {
    if (at->end_ns > to || at->call == 0 || at->duration() < (to - from) / kSeen) continue;
    if (!longest || at->duration() > longest->duration()) longest = *at;
  }
  return longest;
}

std::string hex(std::uint32_t colour) {
  const std::string rgb = fmt::format("#{:02x}{:02x}{:02x}", colour & 255, colour >> 8 & 255, colour >> 16 & 255);
  return colour >> 24 == 255 ? rgb : rgb + fmt::format("{:02x}", colour >> 24);
}

}  // namespace

Stretch typical_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis) {
  const std::span<const IterationRecord> records = steady_records(trace, analysis);
  if (records.empty()) return whole_stretch(trace, analysis);
  std::vector<Nanoseconds> durations;
  for (const IterationRecord& record : records) durations.push_back(record.duration());
  std::nth_element(durations.begin(), durations.begin() + static_cast<std::ptrdiff_t>(durations.size() / 2),
                   durations.end());
  const Nanoseconds median = durations[durations.size() / 2];
  // With a neighbour on both sides, if there are enough.
  const std::size_t edge = records.size() >= 3 ? 1 : 0;
  const auto middle = static_cast<std::ptrdiff_t>(records.size() / 2);
  const auto away = [&](std::size_t i) {
    return std::tuple(std::abs(records[i].duration() - median), std::abs(static_cast<std::ptrdiff_t>(i) - middle));
  };
  std::size_t best = edge;
  for (std::size_t i = edge; i + edge < records.size(); ++i) {
    if (away(i) < away(best)) best = i;
  }
  const IterationRecord &first = records[best - edge], &last = records[best + edge];
  Stretch stretch{first.start_ns, last.end_ns, static_cast<std::int64_t>(2 * edge + 1), {}};
  stretch.bubble = longest_bubble(analysis, records[best].start_ns - records[best].duration() / 2, stretch.to_ns);
  return stretch;
}

Stretch whole_stretch(const trace::Trace& trace, const analysis::LiveAnalysis& analysis) {
  const std::span<const IterationRecord> records = analysis.records();
  const analysis::KeptRange kept = analysis::kept_range(trace);
  if (!records.empty()) {
    return {std::max(records.front().start_ns, kept.from),
            records.back().end_ns,
            static_cast<std::int64_t>(records.size()),
            {}};
  }
  Stretch stretch{kept.from, kept.to, 0, {}};
  stretch.bubble = longest_bubble(analysis, stretch.from_ns, stretch.to_ns);
  return stretch;
}

std::string Pictures::timeline(const trace::Trace& trace, const analysis::LiveAnalysis& analysis,
                               const trace::RunFacts& facts, const Stretch& stretch, const std::string& alt, int wanted,
                               bool low) {
  if (stretch.to_ns <= stretch.from_ns) return {};
  TimelineView view;
  view.trace = &trace;
  view.analysis = &analysis;
  view.from_ns = stretch.from_ns;
  view.to_ns = stretch.to_ns;
  view.facts = facts;
  view.path_to = stretch.bubble;
  view.prefix = fmt::format("t{}-", drawn_);
  view.alt = alt;
  view.low = low;
  TimelineSvg drawn;
  for (const int width : {wanted, wanted * 3 / 5}) {
    view.width = width;
    drawn = draw_timeline(view);
    if (drawn.svg.size() <= kMostPictureBytes) break;
  }
  if (drawn.svg.empty() || drawn.svg.size() > kMostPictureBytes) return {};
  ++drawn_;
  for (std::size_t i = 0; i < drawn.paints.size(); ++i) {
    paints_.emplace_back(fmt::format("{}{}", view.prefix, i), drawn.paints[i]);
  }
  return drawn.svg;
}

std::string Pictures::colours(bool dark) const {
  std::string text;
  for (const auto& [variable, paint] : paints_) {
    text += fmt::format("--{}:{};\n", variable, hex(dark ? paint.dark : paint.light));
  }
  return text;
}

}  // namespace lanescope::app::html
