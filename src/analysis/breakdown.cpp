#include "analysis/breakdown.h"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <span>
#include <tuple>
#include <utility>
#include <vector>

#include "analysis/account.h"
#include "analysis/event_groups.h"
#include "analysis/recorded_time.h"
#include "analysis/whole_iterations.h"

namespace lanescope::analysis {
namespace {

std::string named(const base::NameTable& names, trace::NameId id) {
  return id == 0 ? std::string() : std::string(names.text(id));
}

template <class Row>
std::int64_t cut(std::vector<Row>& rows) {
  if (rows.size() <= kBreakdownRows) return 0;
  const auto left_out = static_cast<std::int64_t>(rows.size() - kBreakdownRows);
  rows.resize(kBreakdownRows);
  return left_out;
}

void add_sites(const Evidence& evidence, const base::NameTable& names, Breakdown& out) {
  for (const CallSite& site : evidence.sites) {
    SiteRow& row = out.sites.emplace_back();
    row.range = named(names, site.range);
    row.call = named(names, site.call);
    row.count = site.count;
    row.sync_count = site.sync_count;
    row.needless_count = site.needless_count;
    row.host_ns = site.host_ns;
    row.wait_ns = site.wait_ns;
    row.wait_busy_ns = site.wait_busy_ns;
    row.bubble_ns = site.bubble_ns;
    row.bubbles_ns = site.bubbles_ns();
  }
  // Compares the names, too, so that a trace from a file gives the same order.
  std::sort(out.sites.begin(), out.sites.end(), [](const SiteRow& a, const SiteRow& b) {
    return std::tie(b.bubbles_ns, b.wait_ns, b.host_ns, a.range, a.call) <
           std::tie(a.bubbles_ns, a.wait_ns, a.host_ns, b.range, b.call);
  });
}

void add_copies(const Evidence& evidence, const base::NameTable& names, Breakdown& out) {
  for (const CopyGroup& group : evidence.copies) {
    CopyRow& row = out.copies.emplace_back();
    row.range = named(names, group.range);
    row.direction = group.direction;
    row.memory = group.memory;
    row.asynchronous = group.asynchronous;
    row.count = group.count;
    row.bytes = group.bytes;
    row.gpu_ns = group.gpu_ns;
    row.exposed_ns = group.exposed_ns;
    row.host_ns = group.host_ns;
    row.held_idle_ns = group.held_idle_ns;
    row.gb_per_s = group.gb_per_s();
  }
  std::sort(out.copies.begin(), out.copies.end(), [](const CopyRow& a, const CopyRow& b) {
    return std::tie(b.gpu_ns, a.direction, a.memory, a.range, a.asynchronous) <
           std::tie(a.gpu_ns, b.direction, b.memory, b.range, b.asynchronous);
  });
}

EventGroups kernels_in(const trace::Trace& trace, trace::GpuNumber gpu, const TimeSpan& part, std::size_t limit) {
  return event_groups(trace, {.from = part.from,
                              .to = part.to,
                              .lane_kind = trace::LaneKind::Kernels,
                              .gpu = gpu,
                              .group = GroupBy::Name,
                              .detail = GroupDetail::Sums,
                              .limit = limit});
}

// Kernels (and memsets) that start in the stretch, by name; only those of `gpu`, unless it is kNobody.
void add_kernels(const trace::Trace& trace, trace::GpuNumber gpu, std::span<const TimeSpan> rare, Breakdown& out) {
  const std::vector<TimeSpan> parts = without({{out.from_ns, out.to_ns}}, rare);
  constexpr std::size_t kAll = std::numeric_limits<std::size_t>::max();
  std::map<trace::NameId, KernelRow> rows;
  for (const TimeSpan& part : parts) {
    const EventGroups kernels = kernels_in(trace, gpu, part, parts.size() == 1 ? kBreakdownRows : kAll);
    for (const EventGroup& group : kernels.groups) {
      const DurationStats& d = group.durations;
      const KernelRow here{named(trace.names(), group.name), d.count, group.sum_ns, d.min_ns, d.max_ns};
      if (parts.size() == 1) {
        out.kernels.push_back(here);
        continue;
      }
      const auto [known, is_new] = rows.try_emplace(group.name, here);
      if (is_new) continue;
      KernelRow& row = known->second;
      row.count += here.count;
      row.total_ns += here.total_ns;
      row.min_ns = std::min(row.min_ns, here.min_ns);
      row.max_ns = std::max(row.max_ns, here.max_ns);
    }
    out.kernel_time_ns += kernels.sum_ns;
    out.kernels_left_out = static_cast<std::int64_t>(kernels.left_out);
  }
  if (parts.size() == 1) return;
  for (auto& [name, row] : rows) out.kernels.push_back(std::move(row));
  std::ranges::stable_sort(out.kernels, std::greater{}, &KernelRow::total_ns);
  out.kernels_left_out = cut(out.kernels);
}

// Waits in the stretch that the verdict is about. If that stretch begins with the first iteration, so do the figures,
// and their waits are used.
Nanoseconds judged_wait(std::span<const IterationRecord> records, const Summary& figures) {
  if (!figures.judged.rare.empty()) return figures.in_parts ? figures.host_wait_ns : figures.judged.host_wait_ns;
  const auto ended_by = [&](Nanoseconds t) {
    return std::partition_point(records.begin(), records.end(),
                                [t](const IterationRecord& record) { return record.end_ns <= t; });
  };
  const auto before = ended_by(figures.judged.from_ns), after = ended_by(figures.judged.to_ns);
  if (before == records.begin() || before >= after) return figures.host_wait_ns;
  return (after - 1)->wait_ns - (before - 1)->wait_ns;
}

}  // namespace

std::string_view direction_key(trace::CopyDirection direction) {
  constexpr std::array<std::string_view, 4> kKeys{"host-to-device", "device-to-host", "device-to-device", "other"};
  return kKeys[static_cast<std::size_t>(direction)];
}

std::string_view memory_key(trace::MemoryKind memory) {
  constexpr std::array<std::string_view, 4> kKeys{"unknown", "pageable", "pinned", "device"};
  return kKeys[static_cast<std::size_t>(memory)];
}

Histogram histogram(std::vector<Nanoseconds> durations) {
  constexpr Nanoseconds kFar = 4;  // times as far from the shortest as the 99th percentile
  Histogram result;
  if (durations.empty()) return result;
  const DurationStats stats = duration_stats(durations);
  const Nanoseconds usual = kFar * (stats.p99_ns - stats.min_ns);
  const Nanoseconds span = (stats.max_ns - stats.min_ns > usual ? stats.p99_ns : stats.max_ns) - stats.min_ns;
  constexpr auto kBins = static_cast<Nanoseconds>(kHistogramBins);
  result.from_ns = stats.min_ns;
  result.width_ns = span / kBins + 1;
  result.counts.resize(static_cast<std::size_t>(span / result.width_ns + 1));
  for (const Nanoseconds ns : durations) {
    const auto bin = static_cast<std::size_t>((ns - result.from_ns) / result.width_ns);
    if (bin < result.counts.size()) {
      ++result.counts[bin];
    } else {
      ++result.longer;
    }
  }
  return result;
}

Breakdown break_down(const trace::Trace& trace, std::span<const IterationRecord> records, const Summary& figures,
                     Nanoseconds to, bool from_the_start) {
  Breakdown out;
  Evidence evidence;
  NewestIterations advised = kAdvised;
  advised.to_ns = to;
  advised.from_the_start = from_the_start;
  if (const auto stretch = steady_stretch(trace, records, advised))
    evidence = gather(trace, stretch->first, stretch->second, nullptr, figures.verdict_gpu, figures.judged.rare);
  if (evidence.iterations == 0) {
    const KeptRange kept = kept_range(trace);
    evidence =
        gather_stretch(trace, kept.from, std::min(kept.to, trace.complete_until()), nullptr, figures.verdict_gpu);
  }
  out.from_ns = evidence.from_ns;
  out.to_ns = evidence.to_ns;
  out.iterations = evidence.iterations;
  add_sites(evidence, trace.names(), out);
  add_copies(evidence, trace.names(), out);
  add_kernels(trace, evidence.gpu, figures.judged.rare, out);
  out.sites_left_out = cut(out.sites);
  out.copies_left_out = cut(out.copies);

  std::vector<Nanoseconds> durations;
  for (const IterationRecord& record : records) {
    const auto rare = std::ranges::lower_bound(figures.judged.rare, record.end_ns, {}, &TimeSpan::to);
    if (rare != figures.judged.rare.end() && rare->from < record.end_ns) continue;
    if (record.start_ns >= figures.from_ns && record.end_ns <= figures.to_ns) durations.push_back(record.duration());
  }
  out.durations = histogram(durations);
  out.iteration = figures.iteration;
  out.host_wait_ns = judged_wait(records, figures);
  return out;
}

}  // namespace lanescope::analysis
