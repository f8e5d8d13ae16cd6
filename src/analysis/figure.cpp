#include "analysis/figure.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "base/translate.h"

namespace lanescope::analysis {
namespace {

using base::tr;
using Value = std::optional<double> (*)(const Summary&);

template <auto Member>
std::optional<double> of(const Summary& s) {
  return static_cast<double>(s.*Member);
}
template <auto Cause>  // or a group of causes
std::optional<double> idle(const Summary& s) {
  return static_cast<double>(idle_of(s.bubble_by_cause_ns, Cause));
}
std::optional<double> rate(std::int64_t bytes, Nanoseconds ns) {
  if (ns <= 0) return std::nullopt;
  return static_cast<double>(bytes) / static_cast<double>(ns);
}
std::optional<double> pace(const Summary& s) { return s.pace.known() ? std::optional(s.pace.ns) : std::nullopt; }

std::vector<Figure> all_figures() {
  using enum FigureUnit;
  using enum FigureForm;
  using enum FigureShown;
  using enum BubbleCause;
  const auto cpu = FigureOf::Cpu;
  const auto gpu = FigureOf::Gpu;
  std::vector<Figure> all{
      {"", "iteration_us", N_("time per iteration"), Time, cpu, FigureGroup::Cpu, Total, pace, ByName},
      {"", "iteration_ms", N_("time per iteration"), Time, cpu, FigureGroup::Cpu, Total, pace, ByName},
      {"", "iterations_per_s", N_("iterations per second"), Number, cpu, FigureGroup::Cpu, Total,
       [](const Summary& s) { return s.pace.known() ? std::optional(1e9 / s.pace.ns) : std::nullopt; }, ByName},
      {"gpu_busy_ns", "gpu_busy_percent", N_("GPU busy"), Time, gpu, FigureGroup::Gpu, Share,
       of<&Summary::gpu_busy_ns>},
      {"kernel_ns", "kernel_percent", N_("GPU running kernels"), Time, gpu, FigureGroup::Gpu, Share,
       of<&Summary::kernel_ns>, ByName},
      {"exposed_copy_ns", "", N_("copies not overlapped by kernels"), Time, gpu, FigureGroup::Gpu, Share,
       of<&Summary::exposed_copy_ns>, IfMatters, 1},
      {"bubble_ns", "bubble_percent", N_("GPU idle"), Time, gpu, FigureGroup::Gpu, Share, of<&Summary::bubble_ns>},
  };
  // The groups add up to all idle time, and the causes of a group to the group.
  const auto group = [&](std::string_view key, CauseGroup its, Value total, FigureShown shown = Always) {
    all.push_back({key, "", group_label(its), Time, gpu, FigureGroup::Idle, PerIteration, total, shown, 1});
  };
  const auto cause = [&](std::string_view key, BubbleCause its, Value total, FigureShown shown = IfMatters) {
    all.push_back({key, "", cause_label(its), Time, gpu, FigureGroup::Idle, PerIteration, total, shown, 2});
  };
  group("bubbles_by_cause.after_sync", CauseGroup::AfterSync, idle<CauseGroup::AfterSync>);
  cause("bubbles_by_fine_cause.after_sync", AfterSync, idle<AfterSync>, ByName);
  group("bubbles_by_cause.launch_too_slow", CauseGroup::Launch, idle<CauseGroup::Launch>);
  cause("bubbles_by_fine_cause.cpu", BubbleCause::Cpu, idle<BubbleCause::Cpu>);
  cause("bubbles_by_fine_cause.launch_latency", LaunchLatency, idle<LaunchLatency>);
  cause("bubbles_by_fine_cause.allocation", Allocation, idle<Allocation>);
  group("bubbles_by_cause.copy", CauseGroup::Copy, idle<CauseGroup::Copy>);
  cause("bubbles_by_fine_cause.staging", Staging, idle<Staging>);
  cause("bubbles_by_fine_cause.pinning", Pinning, idle<Pinning>);
  cause("bubbles_by_fine_cause.dependency", Dependency, idle<Dependency>);
  cause("bubbles_by_fine_cause.migration", Migration, idle<Migration>);
  group("bubbles_by_cause.loader", CauseGroup::Loader, idle<CauseGroup::Loader>, IfAny);
  cause("bubbles_by_fine_cause.loader", Loader, idle<Loader>, ByName);
  group("bubbles_by_cause.graph", CauseGroup::Graph, idle<CauseGroup::Graph>, IfAny);
  cause("bubbles_by_fine_cause.graph", GraphGap, idle<GraphGap>);
  cause("bubbles_by_fine_cause.gpu_wait", GpuWait, idle<GpuWait>);
  group("bubbles_by_cause.start_or_end", CauseGroup::StartOrEnd, idle<CauseGroup::StartOrEnd>);
  cause("bubbles_by_fine_cause.unknown", Unknown, idle<Unknown>);
  cause("bubbles_by_fine_cause.start_or_end", StartOrEnd, idle<StartOrEnd>, ByName);
  all.insert(
      all.end(),
      {{"host_wait_ns", "", N_("CPU waiting for the GPU"), Time, cpu, FigureGroup::Cpu, Share,
        of<&Summary::host_wait_ns>},
       {"", "host_wait_us", N_("CPU waiting for the GPU, per iteration"), Time, cpu, FigureGroup::Cpu, PerIteration,
        of<&Summary::host_wait_ns>, ByName},
       {"loader_wait_ns", "", N_("CPU waiting for data"), Time, cpu, FigureGroup::Cpu, Share,
        of<&Summary::loader_wait_ns>, IfAny},
       {"sync_count", "syncs_per_iteration", N_("syncs"), Count, cpu, FigureGroup::Calls, PerIteration,
        of<&Summary::sync_count>},
       {"launch_count", "launches_per_iteration", N_("kernel launches"), Count, gpu, FigureGroup::Calls, PerIteration,
        of<&Summary::launch_count>},
       {"run_ahead.mean", "", N_("run-ahead, mean"), Number, gpu, FigureGroup::Calls, Total,
        of<&Summary::run_ahead_mean>},
       {"run_ahead.max", "", N_("run-ahead, most"), Count, gpu, FigureGroup::Calls, Total, of<&Summary::run_ahead_max>,
        ByName},
       {"h2d_bytes", "", N_("host to device"), Bytes, gpu, FigureGroup::Copies, PerIteration, of<&Summary::h2d_bytes>},
       {"h2d_gb_per_s", "h2d_gb_per_s", N_("host to device, while copying"), GigabytesPerSecond, gpu,
        FigureGroup::Copies, Total, [](const Summary& s) { return rate(s.h2d_bytes, s.h2d_ns); }, IfAny},
       {"", "h2d_ms", N_("copying to the device, per iteration"), Time, gpu, FigureGroup::Copies, PerIteration,
        [](const Summary& s) { return s.h2d_ns > 0 ? of<&Summary::h2d_ns>(s) : std::nullopt; }, ByName},
       {"d2h_bytes", "", N_("device to host"), Bytes, gpu, FigureGroup::Copies, PerIteration, of<&Summary::d2h_bytes>},
       {"d2h_gb_per_s", "d2h_gb_per_s", N_("device to host, while copying"), GigabytesPerSecond, gpu,
        FigureGroup::Copies, Total, [](const Summary& s) { return rate(s.d2h_bytes, s.d2h_ns); }, IfAny},
       {"", "d2h_ms", N_("copying to the host, per iteration"), Time, gpu, FigureGroup::Copies, PerIteration,
        [](const Summary& s) { return s.d2h_ns > 0 ? of<&Summary::d2h_ns>(s) : std::nullopt; }, ByName},
       {"", "transfer_percent", N_("copying, share of the time"), Time, gpu, FigureGroup::Copies, Share,
        [](const Summary& s) { return std::optional(static_cast<double>(s.h2d_ns + s.d2h_ns)); }, ByName}});
  return all;
}

std::vector<Figure>& list() {
  static std::vector<Figure> all = all_figures();
  return all;
}

std::optional<double> divided(double what, double by) {
  if (by <= 0) return std::nullopt;
  return what / by;
}

}  // namespace

std::span<const Figure> figures() { return list(); }

const Figure& figure(std::string_view key) {
  const auto found = std::ranges::find(list(), key, &Figure::key);
  if (key.empty() || found == list().end()) throw std::out_of_range(fmt::format("there is no figure '{}'", key));
  return *found;
}

std::optional<double> value_of(const Figure& figure, const Summary& s, FigureForm form) {
  const std::optional<double> total = figure.total(s);
  if (!total || form == FigureForm::Total) return total;
  const bool of_gpu = figure.of == FigureOf::Gpu;
  if (form == FigureForm::Share) {
    if (figure.unit != FigureUnit::Time) return std::nullopt;
    return divided(*total, static_cast<double>(of_gpu ? s.gpu_window_ns() : s.window_ns()));
  }
  if (!of_gpu) return divided(*total, static_cast<double>(s.iteration.count));
  if (s.gpu_iterations() == 0) return std::nullopt;
  if (figure.unit == FigureUnit::Time) return s.gpu_time_per_iteration(static_cast<Nanoseconds>(*total));
  return divided(*total, static_cast<double>(s.gpu_iterations()));
}

std::string text_of(const Figure& figure, const Summary& summary, FigureForm form) {
  const std::optional<double> value = value_of(figure, summary, form);
  if (!value) return "–";
  if (form == FigureForm::Share) return share_text(*value);
  switch (figure.unit) {
    case FigureUnit::Time:
      return base::duration_text(*value);
    case FigureUnit::Count:
      return form == FigureForm::Total ? base::format_count(std::llround(*value)) : fmt::format("{:.2f}", *value);
    case FigureUnit::Bytes:
      return base::format_bytes(std::llround(*value));
    case FigureUnit::GigabytesPerSecond:
      return *value < 0.1 ? fmt::format("{:.3g} MB/s", 1e3 * *value) : fmt::format("{:.3g} GB/s", *value);
    case FigureUnit::Number:
      break;
  }
  return fmt::format("{:.1f}", *value);
}

std::string label_of(const Figure& figure, FigureForm form) {
  const std::string label = tr(figure.label);
  if (figure.group == FigureGroup::Idle) return tr("idle: {}", label);
  const bool counted = figure.unit == FigureUnit::Count || figure.unit == FigureUnit::Bytes;
  return form == FigureForm::PerIteration && counted ? tr("{} per iteration", label) : label;
}

bool is_shown(const Figure& figure, std::span<const Summary* const> summaries) {
  constexpr double kMatters = 1e-3;
  const auto any_above = [&](FigureForm form, double least) {
    return std::ranges::any_of(summaries,
                               [&](const Summary* s) { return value_of(figure, *s, form).value_or(0) > least; });
  };
  switch (figure.shown) {
    case FigureShown::Always: {
      const bool no_gpu =
          std::ranges::all_of(summaries, [](const Summary* s) { return s->verdict.kind == VerdictKind::CpuOnly; });
      return !no_gpu || any_above(FigureForm::Total, 0);
    }
    case FigureShown::IfAny:
      return any_above(FigureForm::Total, 0);
    case FigureShown::IfMatters:
      return any_above(FigureForm::Share, kMatters);
    case FigureShown::ByName:
      return false;
  }
  return false;
}

std::string share_text(double share) {
  const double percent = 100 * share;
  if (percent > 0 && percent < 0.05) return "≤ 0.1 %";
  return fmt::format("{:.{}f} %", percent, percent > 0 && percent < 9.95 ? 1 : 0);
}

AddedFigure::AddedFigure(const Figure& figure) { list().push_back(figure); }
AddedFigure::~AddedFigure() { list().pop_back(); }

}  // namespace lanescope::analysis
