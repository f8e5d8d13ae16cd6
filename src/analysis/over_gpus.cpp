#include <algorithm>
#include <cmath>
#include <optional>
#include <string>

#include "analysis/summary.h"
#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;

/// The GPU that idles most. A GPU without a verdict is chosen only if none has a verdict.
std::size_t spoken_of(std::span<const Summary> gpus) {
  const auto rank = [](const Summary& s) { return std::pair(s.verdict.kind != VerdictKind::Unknown, s.verdict.idle); };
  return static_cast<std::size_t>(
      std::max_element(gpus.begin(), gpus.end(),
                       [&](const Summary& a, const Summary& b) { return rank(a) < rank(b); }) -
      gpus.begin());
}

}  // namespace

void say_whose(Summary& summary) {
  std::string& note = summary.verdict.note;
  if (summary.verdict_gpu_name.empty() || summary.verdict.kind == VerdictKind::Unknown) return;
  note += note.empty() ? "" : " ";
  note += tr("There are {} GPUs; this is about {}, which idles the most.", summary.gpu_count, summary.verdict_gpu_name);
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
