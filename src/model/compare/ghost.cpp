#include "model/compare/ghost.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/translate.h"
#include "device/device.h"
#include "inspect/figure_text.h"
#include "model/experiment/active_experiment.h"
#include "model/model.h"
#include "timeline/plot_catalogue.h"

namespace lanescope::ui {
namespace {

using analysis::IterationRecord;
using base::Nanoseconds;
using base::tr;
using Records = std::span<const IterationRecord>;

constexpr std::size_t kMostDifferences = 3;
constexpr std::size_t kMostRecords = 20'000;  // several per pixel of the widest screen; all of a long run take too long

std::size_t first_starting_at(Records records, Nanoseconds t) {
  const auto found = std::lower_bound(records.begin(), records.end(), t,
                                      [](const IterationRecord& r, Nanoseconds at) { return r.start_ns < at; });
  return static_cast<std::size_t>(found - records.begin());
}

/// The first, which the others count from, and at most about `most` others: each stands for those before it.
std::vector<IterationRecord> thinned(Records records, std::size_t most) {
  const std::size_t stride = (records.size() - 2) / most + 1;
  std::vector<IterationRecord> kept;
  kept.reserve(records.size() / stride + 2);
  kept.push_back(records[0]);
  for (std::size_t begin = 1; begin < records.size(); begin += stride) {
    const Records group = records.subspan(begin, std::min(stride, records.size() - begin));
    IterationRecord& last = kept.emplace_back(group.back());
    for (const IterationRecord& r : group.first(group.size() - 1)) {
      last.run_ahead_max = std::max(last.run_ahead_max, r.run_ahead_max);
      last.shortest_ns = std::min(last.shortest_ns, r.shortest_ns);
      last.longest_ns = std::max(last.longest_ns, r.longest_ns);
    }
  }
  return kept;
}

// "Log interval" becomes "log interval" within a line; "H2D" stays.
std::string in_a_line(std::string label) {
  const auto upper = [](char c) { return c >= 'A' && c <= 'Z'; };
  const bool plain = label.size() > 1 && upper(label[0]) && !upper(label[1]);
  if (plain) label[0] = static_cast<char>(label[0] - 'A' + 'a');
  return label;
}

}  // namespace

double GhostRun::mean(PlotKind kind) const {
  if (records.size() < 2) return std::nan("");
  // Skip the first iteration with new settings: it also sets up what they need.
  const IterationRecord& from = records[records.size() > 3 ? 1 : 0];
  return kind == PlotKind::RunAheadMax ? static_cast<double>(run_ahead_max) : plot_value(kind, from, records.back());
}

Nanoseconds stretch_begin(const analysis::LiveAnalysis& analysis, std::optional<Nanoseconds> last_knob) {
  return last_knob ? *last_knob : analysis.first_iteration_ns().value_or(0);
}

std::optional<Nanoseconds> last_knob(const Model& model) {
  const auto& markers = model.analysis().markers();
  for (auto marker = markers.rbegin(); marker != markers.rend(); ++marker) {
    if (trace::is_setting_change(*marker)) return marker->start_ns;
  }
  return std::nullopt;
}

GhostRun pin_ghost(const Model& model) {
  static std::uint64_t number = 0;
  GhostRun ghost;
  // Of several GPUs, those of the first: added up, each iteration would count once for each of them.
  const analysis::LiveAnalysis& analysis = model.analysis();
  const Records records = analysis.records(analysis.gpu_count() > 1 ? trace::GpuNumber{0} : trace::kNobody);
  ghost.begin_ns = stretch_begin(model.analysis(), last_knob(model));
  std::size_t first = first_starting_at(records, ghost.begin_ns);
  if (records.size() < first + 2) return ghost;
  if (first > 0) --first;
  ghost.records = thinned(records.subspan(first), kMostRecords);
  for (const IterationRecord& r : ghost.records) ghost.run_ahead_max = std::max(ghost.run_ahead_max, r.run_ahead_max);
  ghost.pinned_ns = records.back().end_ns;
  if (!model.live() || model.recent_is_current()) ghost.pace = model.recent().pace;
  ghost.generation = model.generation();
  ghost.number = ++number;
  ghost.device = model.source().device().name;
  ghost.workload = model.facts().workload;
  ghost.title = model.steering() ? std::string(N_("the same settings")) : model.title();
  if (model.steering()) ghost.settings = model.steering()->settings();
  return ghost;
}

TimeAxis ghost_axis(const TimeAxis& axis, Nanoseconds ghost_begin, Nanoseconds present_begin) {
  return TimeAxis(axis.origin_ns() - (present_begin - ghost_begin), axis.ns_per_pixel(), axis.left_px(),
                  axis.width_px());
}

void prepare_ghost(GhostRun& ghost, const TimeAxis& axis, Nanoseconds present_begin, PlotKinds kinds) {
  ghost.plots.prepare(ghost.records, ghost_axis(axis, ghost.begin_ns, present_begin), ghost.pinned_ns,
                      {kinds, ghost.number});
}

GhostColumns ghost_columns(const GhostRun& ghost, PlotKind kind, const TimeAxis& axis, Nanoseconds present_begin) {
  GhostColumns result{ghost.plots.columns(kind), 0};
  result.mean_from = result.columns.size();
  const TimeAxis own = ghost_axis(axis, ghost.begin_ns, present_begin);
  const double mean = kind == PlotKind::Loss ? std::nan("") : ghost.mean(kind);  // a loss goes on falling
  if (std::isnan(mean)) return result;
  const auto level = static_cast<float>(mean);
  for (std::size_t x = result.columns.size(); x-- > 0;) {
    if (own.to_ns(own.left_px() + static_cast<float>(x)) < ghost.pinned_ns) break;
    result.columns[x] = {level, level, level};
    result.mean_from = x;
  }
  return result;
}

std::string ghost_difference(const GhostRun& ghost, const std::string& device, const std::string& workload,
                             const workload::Settings* settings) {
  std::vector<std::string> parts;
  if (ghost.workload != workload) parts.push_back(ghost.workload.empty() ? tr(ghost.title) : ghost.workload);
  if (ghost.device != device)
    parts.push_back(ghost.device.empty() ? tr(ghost.title) : device::name_in_words(ghost.device));
  if (ghost.settings && settings && ghost.workload == workload) {
    for (const workload::SettingSpec& spec : ghost.settings->specs()) {
      if (!settings->spec(spec.key)) continue;
      const workload::Value& then = ghost.settings->value(spec.key);
      if (then == settings->value(spec.key)) continue;
      const bool never = spec.zero_is_never && then == workload::Value(std::int64_t{0});
      parts.push_back(in_a_line(tr(spec.label)) + " " + (never ? std::string(tr("never")) : workload::to_text(then)) +
                      (spec.unit.empty() || never ? "" : " " + spec.unit));
    }
  }
  if (parts.empty()) return tr(ghost.title);
  std::string text;
  for (std::size_t i = 0; i < std::min(parts.size(), kMostDifferences); ++i) text += (i > 0 ? ", " : "") + parts[i];
  if (parts.size() > kMostDifferences) {
    text += tr(" and {} more", parts.size() - kMostDifferences);
  }
  return text;
}

std::string ghost_legend(const std::string& difference, double rate_then, double rate_now, double work) {
  std::string text = tr("ghost: {}", difference);
  if (!(rate_then > 0)) return text;
  text += " · " + plot_text(PlotUnit::Count, rate_then);
  if (!(rate_now > 0)) return text + " " + tr("iterations/s");
  const std::string now = plot_text(PlotUnit::Count, rate_now);
  if (work == 0) return text + tr(" → now {} iterations/s", now);
  const std::string factor = change_text(analysis::factor_between(1 / rate_then, 1 / rate_now, work));
  return text + (work == 1 ? tr(" → now {} iterations/s ({})", now, factor)
                           : tr(" → now {} iterations/s (per sample {})", now, factor));
}

}  // namespace lanescope::ui
