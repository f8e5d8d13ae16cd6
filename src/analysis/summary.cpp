#include "analysis/summary.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <optional>
#include <string>

#include "analysis/whole_iterations.h"
#include "base/translate.h"

namespace lanescope::analysis {

using base::tr;

const char* cause_label(BubbleCause cause) {
  static constexpr std::array<const char*, kBubbleCauses> kLabels{
      N_("after a sync"),        N_("CPU work"),           N_("launch latency"),
      N_("allocating memory"),   N_("staging a copy"),     N_("pinning memory"),
      N_("behind a copy"),       N_("page migration"),     N_("waiting for data"),
      N_("between graph nodes"), N_("waiting on the GPU"), N_("launch not recorded"),
      N_("start or end")};
  return kLabels[static_cast<std::size_t>(cause)];
}

std::string_view cause_name(BubbleCause cause) { return tr(cause_label(cause)); }

std::string_view cause_key(BubbleCause cause) {
  static constexpr std::array<std::string_view, kBubbleCauses> kKeys{
      "after_sync", "cpu",    "launch_latency", "allocation", "staging", "pinning",     "dependency",
      "migration",  "loader", "graph",          "gpu_wait",   "unknown", "start_or_end"};
  return kKeys[static_cast<std::size_t>(cause)];
}

const char* group_label(CauseGroup group) {
  static constexpr std::array<const char*, kCauseGroups> kLabels{N_("after a sync"),        N_("launch too slow"),
                                                                 N_("held by a copy"),      N_("waiting for data"),
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
    case BubbleCause::Migration:
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

bool grows_with_recording(BubbleCause cause) {
  return cause == BubbleCause::AfterSync || group_of(cause) == CauseGroup::Launch;
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

int whole_percent(double share) { return static_cast<int>(std::lround(std::clamp(share, 0.0, 1.0) * 100)); }

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
    case VerdictKind::CpuBound:
      return tr("CPU-bound");
    case VerdictKind::RankBound:
      return tr("Waits for other ranks");
    case VerdictKind::Race:
      return tr("Wrong values");
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
    case VerdictKind::CpuBound:
      return "cpu-bound";
    case VerdictKind::RankBound:
      return "rank-bound";
    case VerdictKind::Race:
      return "race";
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

// --- over gpus -------------------------------------------------------------------------------------------------------

namespace {

/// The GPU that idles most. A GPU without a verdict is chosen only if none has a verdict.
std::size_t spoken_of(std::span<const Summary> gpus) {
  const auto rank = [](const Summary& s) { return std::pair(s.verdict.kind != VerdictKind::Unknown, s.verdict.idle); };
  return static_cast<std::size_t>(
      std::max_element(gpus.begin(), gpus.end(),
                       [&](const Summary& a, const Summary& b) { return rank(a) < rank(b); }) -
      gpus.begin());
}

}  // namespace

std::string_view range_text(std::string_view range) { return range == "aten::_local_scalar_dense" ? ".item()" : range; }

bool computes(const Summary& summary) {
  return summary.in_parts || summary.launch_count > 0 || summary.gpu_op_count > 0 || summary.cpu_op_count > 0;
}

Gain gain_between(const Summary& first, double first_samples, const Summary& second, double second_samples) {
  const bool nothing = (first_samples != 0 && !computes(first)) || (second_samples != 0 && !computes(second));
  if (nothing) return {.comparable = false};
  return gain_between(first.pace, first_samples, second.pace, second_samples);
}

void say_whose(Summary& summary) {
  std::string& note = summary.verdict.note;
  if (summary.verdict_gpu_name.empty() || summary.verdict.kind == VerdictKind::Unknown) return;
  note += note.empty() ? "" : " ";
  note += tr("There are {} GPUs; this is about {}, which idles the most.", summary.gpu_count, summary.verdict_gpu_name);
  // What is counted in all is this GPU's.
  for (VerdictFigure& figure : summary.verdict.figures) {
    if (figure.is_share || summary.judged.iterations > 0) continue;
    figure.per = tr("on {}", summary.verdict_gpu_name);
    figure.unit = figure.measure.empty() ? figure.per : fmt::format("{} {}", figure.measure, figure.per);
  }
}

std::string gpu_name(const trace::Owners& owners, trace::GpuNumber gpu) {
  const trace::Gpu& g = owners.gpus()[gpu];
  const trace::Process& process = owners.processes()[g.process];
  if (const std::optional<int> rank = owners.rank_of(g.process)) {
    const auto of_rank = [&](auto&& also) {
      return std::ranges::count_if(
          owners.gpus(), [&](const trace::Gpu& other) { return owners.rank_of(other.process) == rank && also(other); });
    };
    if (of_rank([](const trace::Gpu&) { return true; }) == 1) return tr("rank {}", *rank);
    if (of_rank([&](const trace::Gpu& other) { return other.device == g.device; }) == 1)
      return tr("GPU {} of rank {}", g.device, *rank);
  }
  const auto same = [&](auto&& is_same) { return std::count_if(owners.gpus().begin(), owners.gpus().end(), is_same); };
  if (same([&](const trace::Gpu& other) { return other.device == g.device; }) == 1) return tr("GPU {}", g.device);
  const auto same_process = same([&](const trace::Gpu& other) {
    return other.device == g.device && owners.processes()[other.process].pid == process.pid;
  });
  if (same_process == 1 || process.host.empty()) return tr("GPU {} of process {}", g.device, process.pid);
  return tr("GPU {} of process {} on {}", g.device, process.pid, process.host);
}

Summary over_gpus(Summary whole, std::span<const Summary> gpus, const trace::Owners& owners) {
  if (gpus.size() < 2) return whole;
  Nanoseconds windows = 0;
  for (const Summary& gpu : gpus) windows += gpu.window_ns();
  const auto mean = [&](auto&& time_of) {
    Nanoseconds sum = 0;
    for (const Summary& gpu : gpus) sum += time_of(gpu);
    if (windows <= 0) return Nanoseconds{0};
    return static_cast<Nanoseconds>(std::llround(
        static_cast<double>(sum) * (static_cast<double>(whole.window_ns()) / static_cast<double>(windows))));
  };
  whole.gpu_busy_ns = mean([](const Summary& s) { return s.gpu_busy_ns; });
  whole.kernel_ns = mean([](const Summary& s) { return s.kernel_ns; });
  whole.exposed_copy_ns = mean([](const Summary& s) { return s.exposed_copy_ns; });
  whole.bubble_ns = mean([](const Summary& s) { return s.bubble_ns; });
  // Of the processes that use them: added up, two that wait all the time would wait for 200 % of it.
  whole.host_wait_ns = mean([](const Summary& s) { return s.host_wait_ns; });
  whole.loader_wait_ns = mean([](const Summary& s) { return s.loader_wait_ns; });
  whole.sync_count = mean([](const Summary& s) { return s.sync_count; });
  for (std::size_t c = 0; c < kBubbleCauses; ++c)
    whole.bubble_by_cause_ns[c] = mean([c](const Summary& s) { return s.bubble_by_cause_ns[c]; });
  whole.in_parts = std::ranges::any_of(gpus, &Summary::in_parts);
  if (whole.in_parts) {
    // Of a GPU that was recorded whole, all of the time counts.
    whole.recorded_ns = mean([](const Summary& s) { return s.gpu_window_ns(); });
  }
  whole.bubble_count = 0;
  whole.h2d_ns = whole.d2h_ns = 0;
  for (const Summary& gpu : gpus) {
    whole.bubble_count += gpu.bubble_count;
    whole.h2d_ns += gpu.h2d_ns;
    whole.d2h_ns += gpu.d2h_ns;
  }
  const std::size_t number = spoken_of(gpus);
  whole.iteration = gpus[number].iteration;
  whole.recorded_iterations = gpus[number].recorded_iterations;
  whole.pace = gpus[number].pace;
  whole.judged = gpus[number].judged;
  whole.verdict = gpus[number].verdict;
  whole.gpu_count = gpus.size();
  whole.verdict_gpu = static_cast<trace::GpuNumber>(number);
  whole.verdict_gpu_name = gpu_name(owners, whole.verdict_gpu);
  say_whose(whole);
  return whole;
}

}  // namespace lanescope::analysis
