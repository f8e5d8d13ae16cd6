#include "inspect/rank_table.h"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <utility>

#include "analysis/event_query.h"
#include "analysis/intervals.h"
#include "analysis/summary.h"

namespace lanescope::ui {
namespace {

using trace::GpuNumber;

// Of each GPU, when it had work.
std::vector<std::vector<analysis::Interval>> read_work(const trace::Trace& trace, const trace::Owners& owners,
                                                       Nanoseconds from, Nanoseconds to, const base::Stop* stop) {
  std::vector<std::vector<analysis::Interval>> work(owners.gpus().size());
  std::vector<analysis::EventSource> sources =
      analysis::event_sources(trace, {.from = from, .to = to, .overlapping = true});
  std::erase_if(sources, [&](const analysis::EventSource& s) { return owners.gpu_of(s.lane) >= work.size(); });
  const analysis::Watch watch{stop};
  scan(trace, sources, watch,
       [&](const analysis::EventSource& s, const trace::Block& block, trace::EventIndex i, trace::EventIndex last) {
         for (; i < last; ++i) {
           const std::size_t k = i % trace::kBlockEvents;
           work[owners.gpu_of(s.lane)].emplace_back(std::max(from, block.start[k]), std::min(to, block.end[k]));
         }
       });
  if (watch.stopped()) work.clear();
  return work;
}

double share(std::int64_t part, std::int64_t whole) {
  return whole > 0 ? std::min(1.0, static_cast<double>(part) / static_cast<double>(whole)) : 0;
}
std::string percent(double share) { return fmt::format("{:.1f} %", 100 * share); }

Nanoseconds wait_each(const RankLine& line) { return line.of.count > 0 ? line.of.wait_ns / line.of.count : 0; }

double value(const RankLine& line, RankColumn column) {
  switch (column) {
    case RankColumn::Name:
      return 0;
    case RankColumn::Last:
      return share(line.of.arrived_last, line.of.count);
    case RankColumn::WaitEach:
      return static_cast<double>(wait_each(line));
    case RankColumn::Wait:
      return static_cast<double>(line.of.wait_ns);
    case RankColumn::Transfer:
      return static_cast<double>(line.of.transfer_ns);
    case RankColumn::Alone:
      return static_cast<double>(line.of.exposed_ns);
    case RankColumn::Busy:
      return share(line.busy_ns, line.recorded_ns);
    case RankColumn::Idle:
      return 1 - share(line.busy_ns, line.recorded_ns);
  }
  return 0;
}

}  // namespace

RankTable rank_table(const trace::Trace& trace, const analysis::Collectives& collectives,
                     const std::optional<analysis::Lateness>& worst, Nanoseconds from, Nanoseconds to,
                     const base::Stop* stop) {
  RankTable table;
  if (collectives.all.empty()) return table;
  table.elapsed_ns = to - from;
  table.worst = analysis::most_often_last(collectives);
  if (worst) table.why = analysis::lateness_text(trace, *worst);
  const trace::Owners owners(trace);
  const trace::Trace::ReadLock lock(trace);
  auto work = read_work(trace, owners, from, to, stop);
  if (work.empty()) return {};
  for (std::size_t g = 0; g < work.size(); ++g) {
    const auto gpu = static_cast<GpuNumber>(g);
    RankLine line;
    const auto of = std::ranges::find(collectives.gpus, gpu, &analysis::GpuCollectives::gpu);
    if (of != collectives.gpus.end()) line.of = *of;
    line.of.gpu = gpu;
    line.of.name = analysis::gpu_name(owners, gpu);
    line.busy_ns = analysis::length(analysis::merged(std::move(work[g])));
    const trace::Coverage& coverage = trace.coverage(owners.processes()[owners.gpus()[g].process].pid);
    line.recorded_ns = coverage.complete() ? to - from : coverage.recorded_ns(from, to);
    table.lines.push_back(std::move(line));
  }
  std::ranges::stable_sort(table.lines, {}, [&](const RankLine& line) {
    return owners.rank_of(owners.gpus()[line.of.gpu].process).value_or(std::numeric_limits<int>::max());
  });
  return table;
}

std::vector<std::size_t> arranged_ranks(const RankTable& table, RankOrder order) {
  std::vector<std::size_t> indices(table.lines.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  const double sign = order.ascending ? 1 : -1;
  std::ranges::stable_sort(indices, {}, [&](std::size_t i) {
    return sign * (order.by == RankColumn::Name ? static_cast<double>(i) : value(table.lines[i], order.by));
  });
  return indices;
}

std::string rank_cell(const RankLine& line, RankColumn column) {
  const analysis::GpuCollectives& of = line.of;
  if (column == RankColumn::Name) return of.name;
  if (column == RankColumn::Busy || column == RankColumn::Idle) {
    return line.recorded_ns > 0 ? percent(value(line, column)) : "–";
  }
  if (of.count == 0) return "–";
  switch (column) {
    case RankColumn::Last:
      return fmt::format("{} · {:.0f} %", base::format_count(of.arrived_last), 100 * share(of.arrived_last, of.count));
    case RankColumn::WaitEach:
      return base::format_duration(wait_each(line));
    case RankColumn::Wait:
      return base::format_duration(of.wait_ns);
    case RankColumn::Transfer:
      return base::format_duration(of.transfer_ns);
    default:
      return base::format_duration(of.exposed_ns);
  }
}

}  // namespace lanescope::ui
