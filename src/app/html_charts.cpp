#include "app/html_charts.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <span>
#include <tuple>
#include <utility>

#include "analysis/recorded_time.h"
#include "analysis/warm_up.h"
#include "app/html_text.h"
#include "base/translate.h"

namespace lanescope::app::html {
namespace {

using analysis::BubbleCause;
using base::Nanoseconds;
using base::tr;

double share_of(Nanoseconds ns, Nanoseconds whole) {
  return whole > 0 ? static_cast<double>(ns) / static_cast<double>(whole) : 0;
}

Nanoseconds sum_of(const std::vector<TimePart>& parts) {
  Nanoseconds sum = 0;
  for (const TimePart& part : parts) sum += part.ns;
  return sum;
}

// Stripes of two colours, drawn by the stylesheet's classes f-KEY.
struct Stripes {
  const char *key, *ink, *ground;
  int angle, width, period;
};
constexpr Stripes kStripes[] = {
    {"after_sync", "wait", "wait-ground", 45, 4, 9},
    {"loader", "loader", "loader-ground", 45, 4, 9},
    {"cpu", "launch", "bubble-ground", 0, 2, 6},
    {"launch_latency", "launch", "bubble-ground", 90, 2, 5},
    {"allocation", "call", "bubble-ground", -45, 4, 9},
    {"staging", "call-copy", "bubble-ground", -45, 4, 9},
    {"pinning", "call-copy", "bubble-ground", 0, 2, 6},
    {"dependency", "copy-other", "bubble-ground", -45, 4, 9},
    {"graph", "kernel", "bubble-ground", 90, 2, 5},
    {"gpu_wait", "kernel", "bubble-ground", -45, 4, 9},
    {"unknown", "unknown", "bubble-ground", -45, 1, 7},
    {"start_or_end", "unknown", "ground", 45, 1, 7},
    {"rest", "unknown", "ground", 45, 1, 7},
    {"copy", "d2h", "h2d", 90, 4, 8},
};

std::string fill_of(const std::string& key) {
  if (key == "kernel") return "var(--kernel)";
  for (const Stripes& stripes : kStripes) {
    if (key == stripes.key) return "url(#p-" + key + ")";
  }
  return "var(--bubble)";
}

struct Column {
  double mean_ns = 0;  // of its iterations
  std::vector<TimePart> parts;
};

// The same number of iterations in each column; the last may have fewer.
std::vector<Column> columns_of(const analysis::LiveAnalysis& analysis,
                               std::span<const analysis::IterationRecord> records, std::size_t each) {
  std::vector<Column> columns;
  for (std::size_t first = 0; first < records.size(); first += each) {
    const std::size_t last = std::min(first + each, records.size()) - 1;
    const analysis::Summary s = analysis.window(records[first].start_ns, records[last].end_ns);
    if (s.iteration.count == 0 || s.gpu_window_ns() <= 0) continue;
    Column& column = columns.emplace_back();
    column.mean_ns = s.iteration.mean_ns;
    column.parts = time_parts(s, s.gpu_window_ns(), s.gpu_busy_ns, s.kernel_ns, s.bubble_by_cause_ns);
  }
  return columns;
}

double ceiling_of(const std::vector<Column>& columns) {
  constexpr double kOutlier = 2.5, kRoom = 1.06;
  std::vector<double> heights;
  for (const Column& column : columns) heights.push_back(column.mean_ns);
  std::sort(heights.begin(), heights.end());
  return kRoom * std::min(heights.back(), kOutlier * heights[heights.size() / 2]);
}

// 1, 2 or 5 times a power of ten, such that at least two steps are below `most`.
double step_for(double most) {
  const double power = std::pow(10, std::floor(std::log10(std::max(most, 10.0))));
  for (const double factor : {1.0, 0.5, 0.2}) {
    if (most / (power * factor) >= 2.5) return power * factor;
  }
  return power / 10;
}

}  // namespace

std::vector<TimePart> time_parts(const analysis::Summary& summary, Nanoseconds span, Nanoseconds busy,
                                 Nanoseconds kernel, const std::array<Nanoseconds, analysis::kBubbleCauses>& by_cause) {
  std::vector<TimePart> parts;
  if (summary.verdict.kind == analysis::VerdictKind::CpuOnly) return parts;
  parts.push_back({"kernel", tr("kernels"), kernel, false});
  parts.push_back({"copy", tr("copies only"), busy - kernel, false});
  Nanoseconds known = busy;
  for (std::size_t i = 0; i < by_cause.size(); ++i) {
    const auto cause = static_cast<BubbleCause>(i);
    parts.push_back({std::string(cause_key(cause)), std::string(cause_name(cause)), by_cause[i], true});
    known += by_cause[i];
  }
  parts.push_back({"rest", tr("not attributed"), std::max<Nanoseconds>(0, span - known), true});
  return parts;
}

std::vector<TimePart> time_parts(const analysis::Summary& s) {
  const analysis::Judged& j = s.judged;
  if (j.to_ns > j.from_ns) return time_parts(s, j.span_ns(), j.busy_ns, j.kernel_ns, j.bubble_by_cause_ns);
  return time_parts(s, s.gpu_window_ns(), s.gpu_busy_ns, s.kernel_ns, s.bubble_by_cause_ns);
}

std::string chart_patterns() {
  std::string text = "<svg width=\"0\" height=\"0\" style=\"position:absolute\" aria-hidden=\"true\"><defs>\n";
  for (const Stripes& s : kStripes) {
    text += fmt::format(
        "<pattern id=\"p-{0}\" width=\"{1}\" height=\"{1}\" patternUnits=\"userSpaceOnUse\" "
        "patternTransform=\"rotate({2})\"><rect width=\"{1}\" height=\"{1}\" fill=\"var(--{3})\"/>"
        "<rect width=\"{4}\" height=\"{1}\" fill=\"var(--{5})\"/></pattern>\n",
        s.key, s.period, s.angle, s.ground, s.width, s.ink);
  }
  return text + "</defs></svg>\n";
}

std::string time_bar(const std::vector<TimePart>& parts) {
  const Nanoseconds whole = sum_of(parts);
  if (whole <= 0) return {};
  std::string bar, said;
  for (const TimePart& part : parts) {
    if (part.ns <= 0) continue;
    const double share = share_of(part.ns, whole);
    const std::string label = fmt::format("{} {}", part.name, percent(share));
    said += (said.empty() ? "" : ", ") + label;
    bar += fmt::format("<i class=\"f-{}\" style=\"flex:{} 0 0\" title=\"{}\"></i>", escaped(part.key),
                       number(share * 1000), escaped(label));
  }
  return fmt::format("<div class=\"stack\" role=\"img\" aria-label=\"{}\">{}</div>\n", escaped(said), bar);
}

std::string time_legend(const std::vector<TimePart>& parts) {
  const Nanoseconds whole = sum_of(parts);
  std::string text = "<ul class=\"legend\">";
  for (const TimePart& part : parts) {
    if (part.ns <= 0) continue;
    text += fmt::format("<li><i class=\"swatch f-{}\"></i>{}{} {}</li>", escaped(part.key),
                        part.idle ? tr("idle: ") : "", escaped(part.name), percent(share_of(part.ns, whole)));
  }
  return text + "</ul>\n";
}

Strip run_strip(const analysis::LiveAnalysis& analysis, Nanoseconds from, Nanoseconds to) {
  constexpr std::size_t kColumns = 180;
  constexpr double kWidth = 1080, kHeight = 210, kLeft = 64, kTop = 8, kBottom = 26;
  Strip strip;
  std::span<const analysis::IterationRecord> records = analysis.records();
  while (!records.empty() && records.front().start_ns < from) records = records.subspan(1);
  while (!records.empty() && records.back().end_ns > to) records = records.first(records.size() - 1);
  if (records.size() < kLeastForStrip) return strip;
  const std::size_t each = (records.size() + kColumns - 1) / kColumns;
  const std::vector<Column> columns = columns_of(analysis, records, each);
  if (columns.empty() || columns.front().parts.empty()) return strip;
  const double ceiling = ceiling_of(columns);
  const double width = (kWidth - kLeft) / static_cast<double>(columns.size());
  const double height = kHeight - kTop - kBottom, ground = kTop + height;

  std::map<std::size_t, std::string> paths;  // by part
  std::string notches;
  for (std::size_t c = 0; c < columns.size(); ++c) {
    const Column& column = columns[c];
    const double x = kLeft + static_cast<double>(c) * width;
    const double shown = std::min(1.0, column.mean_ns / ceiling) * height;
    const Nanoseconds whole = sum_of(column.parts);
    double y = ground;
    for (std::size_t p = 0; p < column.parts.size(); ++p) {
      const double h = share_of(column.parts[p].ns, whole) * shown;
      if (h < 0.05) continue;
      y -= h;
      paths[p] += fmt::format("M{} {}h{}v{}h-{}z", number(x), number(y), number(width), number(h), number(width));
    }
    strip.highest_ns = std::max(strip.highest_ns, column.mean_ns);
    if (column.mean_ns <= ceiling) continue;
    ++strip.cut;
    notches += fmt::format("M{} {}l-5 7h10z", number(x + width / 2), number(kTop - 6));
  }
  strip.iterations_each = each;

  std::string body;
  for (const auto& [part, path] : paths) {
    body += fmt::format("<path d=\"{}\" fill=\"{}\"/>\n", path, fill_of(columns.front().parts[part].key));
  }
  const double step = step_for(ceiling);
  for (double tick = 0; tick < ceiling; tick += step) {
    const double y = ground - tick / ceiling * height;
    body += fmt::format(
        "<path class=\"axis\" d=\"M{} {}h{}\" opacity=\"{}\"/><text x=\"{}\" "
        "y=\"{}\" text-anchor=\"end\">{}</text>\n",
        number(kLeft), number(y), number(kWidth - kLeft), tick > 0 ? "0.6" : "1", number(kLeft - 8), number(y + 4),
        tick > 0 ? duration(tick) : "0");
  }
  if (!notches.empty()) body += fmt::format("<path d=\"{}\" fill=\"var(--text)\"/>\n", notches);
  body += fmt::format(
      "<text x=\"{}\" y=\"{}\">{} 1</text>"
      "<text x=\"{}\" y=\"{}\" text-anchor=\"end\">{}</text>\n",
      number(kLeft), number(kHeight - 7), tr("iteration"), number(kWidth), number(kHeight - 7),
      count(static_cast<std::int64_t>(records.size())));
  strip.svg = fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"{}\" viewBox=\"0 -4 {} {}\" width=\"{}\" "
      "height=\"{}\">\n{}</svg>\n",
      escaped(tr("Time per iteration over the run, split like the bar of one iteration")), number(kWidth),
      number(kHeight + 4), number(kWidth), number(kHeight + 4), body);
  return strip;
}

std::string duration_chart(const analysis::Histogram& histogram, const analysis::DurationStats& stats) {
  constexpr double kWidth = 480, kHeight = 168, kTop = 24, kBottom = 24;
  if (histogram.counts.empty()) return {};
  const std::int64_t most =
      std::max<std::int64_t>(1, *std::max_element(histogram.counts.begin(), histogram.counts.end()));
  const auto bins = static_cast<double>(histogram.counts.size());
  const double width = kWidth / bins, height = kHeight - kTop - kBottom, ground = kTop + height;
  std::string bars;
  for (std::size_t i = 0; i < histogram.counts.size(); ++i) {
    if (histogram.counts[i] == 0) continue;
    const double h = std::max(1.5, static_cast<double>(histogram.counts[i]) / static_cast<double>(most) * height);
    bars += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" rx=\"1.5\"/>",
                        number(static_cast<double>(i) * width + 0.5), number(ground - h),
                        number(std::max(1.0, width - 1)), number(h));
  }
  const double span = static_cast<double>(histogram.width_ns) * bins;
  std::string marks;
  const auto mark = [&](Nanoseconds at, const char* name, double label_y) {
    const double x = std::clamp(static_cast<double>(at - histogram.from_ns) / span, 0.0, 1.0) * kWidth;
    const char* anchor = x < kWidth * 0.12 ? "start" : x > kWidth * 0.88 ? "end" : "middle";
    marks += fmt::format(
        "<path d=\"M{0} {1}V{2}\" stroke=\"var(--text)\" stroke-dasharray=\"3 3\"/>"
        "<text x=\"{0}\" y=\"{3}\" text-anchor=\"{4}\">{5}</text>",
        number(x), number(kTop - 4), number(ground), number(label_y), anchor, name);
  };
  mark(stats.p50_ns, tr("median"), kTop - 9);
  const auto right = static_cast<Nanoseconds>(std::llround(static_cast<double>(histogram.from_ns) + span));
  return fmt::format(
      "<svg class=\"chart\" role=\"img\" aria-label=\"{0}\" viewBox=\"0 0 {1} {2}\" "
      "style=\"width:100%;max-width:600px;height:auto\">"
      "<g fill=\"var(--accent)\">{3}</g><path class=\"axis\" d=\"M0 {4}H{1}\"/>{5}"
      "<text x=\"0\" y=\"{6}\">{7}</text><text x=\"{1}\" y=\"{6}\" "
      "text-anchor=\"end\">{8}</text></svg>\n",
      escaped(tr("Distribution of the iteration times")), number(kWidth), number(kHeight), bars, number(ground), marks,
      number(kHeight - 7), duration(static_cast<double>(histogram.from_ns)), duration(static_cast<double>(right)));
}

// --- html pictures ---------------------------------------------------------------------------------------------------

namespace {

using analysis::IterationRecord;

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
