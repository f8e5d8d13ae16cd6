#include "analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {

using base::tr;

const char* cause_label(BubbleCause cause) {
  static constexpr std::array<const char*, kBubbleCauses> kLabels{
      N_("after a sync"),     N_("CPU work"),            N_("launch latency"),     N_("allocating memory"),
      N_("staging a copy"),   N_("pinning memory"),      N_("behind a copy"),      N_("waiting for data"),
      N_("between graph nodes"), N_("waiting on the GPU"), N_("launch not recorded"), N_("start or end")};
  return kLabels[static_cast<std::size_t>(cause)];
}

std::string_view cause_name(BubbleCause cause) { return tr(cause_label(cause)); }

std::string_view cause_key(BubbleCause cause) {
  static constexpr std::array<std::string_view, kBubbleCauses> kKeys{
      "after_sync", "cpu",    "launch_latency", "allocation", "staging", "pinning",
      "dependency", "loader", "graph",          "gpu_wait",   "unknown", "start_or_end"};
  return kKeys[static_cast<std::size_t>(cause)];
}

const char* group_label(CauseGroup group) {
  static constexpr std::array<const char*, kCauseGroups> kLabels{N_("after a sync"),     N_("launch too slow"),
                                                                 N_("held by a copy"),   N_("waiting for data"),
                                                                 N_("between graph nodes"), N_("start or end")};
  return kLabels[static_cast<std::size_t>(group)];
}

std::string_view group_name(CauseGroup group) { return tr(group_label(group)); }

CauseGroup group_of(BubbleCause cause) {
  switch (cause) {
    case BubbleCause::AfterSync:
      return CauseGroup::AfterSync;
    case BubbleCause::Cpu:
    case BubbleCause::LaunchLatency:
    case BubbleCause::Allocation:
      return CauseGroup::Launch;
    case BubbleCause::Staging:
    case BubbleCause::Pinning:
    case BubbleCause::Dependency:
      return CauseGroup::Copy;
    case BubbleCause::Loader:
      return CauseGroup::Loader;
    case BubbleCause::GraphGap:
    case BubbleCause::GpuWait:
      return CauseGroup::Graph;
    case BubbleCause::Unknown:
    case BubbleCause::StartOrEnd:
      break;
  }
  return CauseGroup::StartOrEnd;
}

Nanoseconds idle_of(const CauseTimes& times, BubbleCause cause) { return times[static_cast<std::size_t>(cause)]; }

Nanoseconds idle_of(const CauseTimes& times, CauseGroup group) {
  Nanoseconds sum = 0;
  for (std::size_t c = 0; c < times.size(); ++c) {
    if (group_of(static_cast<BubbleCause>(c)) == group) sum += times[c];
  }
  return sum;
}

std::int64_t Summary::gpu_iterations() const {
  if (!in_parts) return iteration.count;
  return recorded_iterations >= kFewestWhole ? recorded_iterations : 0;
}

double Summary::gpu_time_per_iteration(Nanoseconds part) const {
  if (gpu_iterations() == 0) return 0;
  if (!in_parts) return static_cast<double>(part) / static_cast<double>(iteration.count);
  return static_cast<double>(part) / static_cast<double>(std::max<Nanoseconds>(1, recorded_ns)) * iteration.mean_ns;
}

std::string recorded_percent(const Summary& summary) {
  const double percent = 100 * summary.recorded_share();
  return percent > 0 && percent < 9.95 ? fmt::format("{:.1f}", percent) : fmt::format("{:.0f}", percent);
}

std::string recorded_text(const Summary& summary) {
  return summary.in_parts ? tr("from {} % of the time", recorded_percent(summary)) : std::string();
}

std::string value_text(const VerdictFigure& figure) {
  if (figure.is_share) return fmt::format("{} %", std::lround(figure.value));
  return figure.value < 9.95 ? fmt::format("{:.1f}", figure.value) : base::format_count(std::llround(figure.value));
}

std::string_view verdict_title(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Unknown:
      return tr("Unknown");
    case VerdictKind::SyncBound:
      return tr("Sync-bound");
    case VerdictKind::LaunchBound:
      return tr("Launch-bound");
    case VerdictKind::CopyBound:
      return tr("Copy-bound");
    case VerdictKind::LoaderBound:
      return tr("Loader-bound");
    case VerdictKind::GpuBound:
      return tr("GPU-bound");
    case VerdictKind::CpuOnly:
      return tr("CPU only");
  }
  return "";
}

std::string_view verdict_key(VerdictKind kind) {
  switch (kind) {
    case VerdictKind::Unknown:
      return "unknown";
    case VerdictKind::SyncBound:
      return "sync-bound";
    case VerdictKind::LaunchBound:
      return "launch-bound";
    case VerdictKind::CopyBound:
      return "copy-bound";
    case VerdictKind::LoaderBound:
      return "loader-bound";
    case VerdictKind::GpuBound:
      return "gpu-bound";
    case VerdictKind::CpuOnly:
      return "cpu-only";
  }
  return "";
}

DurationStats duration_stats(std::vector<Nanoseconds>& durations) {
  DurationStats stats;
  if (durations.empty()) return stats;
  const std::size_t n = durations.size();
  const auto place = [&](std::size_t p) {
    return durations.begin() + static_cast<std::ptrdiff_t>((p * n + 99) / 100 - 1);
  };
  const auto [least, most] = std::minmax_element(durations.begin(), durations.end());
  stats.count = static_cast<std::int64_t>(n);
  stats.min_ns = *least;
  stats.max_ns = *most;
  const Nanoseconds sum = std::accumulate(durations.begin(), durations.end(), Nanoseconds{0});
  stats.mean_ns = static_cast<double>(sum) / static_cast<double>(n);
  // Sorting all of them would cost several times as much, and this is done in every frame.
  std::nth_element(durations.begin(), place(99), durations.end());
  stats.p99_ns = *place(99);
  std::nth_element(durations.begin(), place(50), place(99) + 1);
  stats.p50_ns = *place(50);
  return stats;
}

}  // namespace lanescope::analysis
