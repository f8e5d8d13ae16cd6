#include "analysis/summary.h"

#include <algorithm>
#include <numeric>

#include "base/translate.h"

namespace lanescope::analysis {

using base::tr;

std::string_view cause_name(BubbleCause cause) {
  switch (cause) {
    case BubbleCause::AfterSync:
      return tr("after a sync");
    case BubbleCause::LaunchTooSlow:
      return tr("launch too slow");
    case BubbleCause::Copy:
      return tr("CPU held by a copy");
    case BubbleCause::Loader:
      return tr("waiting for data");
    case BubbleCause::StartOrEnd:
      return tr("start or end");
  }
  return "";
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
  std::sort(durations.begin(), durations.end());
  const std::size_t n = durations.size();
  const auto percentile = [&](std::size_t p) { return durations[(p * n + 99) / 100 - 1]; };
  stats.count = static_cast<std::int64_t>(n);
  const Nanoseconds sum = std::accumulate(durations.begin(), durations.end(), Nanoseconds{0});
  stats.mean_ns = static_cast<double>(sum) / static_cast<double>(n);
  stats.p50_ns = percentile(50);
  stats.p99_ns = percentile(99);
  stats.min_ns = durations.front();
  stats.max_ns = durations.back();
  return stats;
}

}  // namespace lanescope::analysis
