#include "io/event_store.h"

#include <algorithm>
#include <limits>

#include "trace/event.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;

constexpr std::size_t kMostGaps = 4096;
constexpr std::size_t kMostInGap = 100'000;  // events: it was recorded, then

/// Between two iterations, or two statements of the profiler: where a hole may be.
struct Gap {
  Recorded at;
  Nanoseconds least = 0;  ///< a shorter hole is none
  std::vector<Recorded> busy{};
};

bool overlap(const Recorded& a, const Recorded& b) { return a.from_ns < b.to_ns && b.from_ns < a.to_ns; }

/// The longest stretch of a gap in which nothing was recorded; empty if there is none that counts.
Recorded hole_in(Gap& gap) {
  Recorded best;
  Nanoseconds at = gap.at.from_ns;
  const auto until = [&](Nanoseconds t) {
    if (t - at > best.to_ns - best.from_ns) best = {at, t};
  };
  if (gap.busy.size() >= kMostInGap) return {};
  std::ranges::sort(gap.busy, {}, &Recorded::from_ns);
  for (const Recorded& busy : gap.busy) {
    until(std::min(busy.from_ns, gap.at.to_ns));
    at = std::max(at, busy.to_ns);
  }
  until(gap.at.to_ns);
  const Nanoseconds length = best.to_ns - best.from_ns, whole = gap.at.to_ns - gap.at.from_ns;
  return length >= gap.least && length > 0 && length >= whole / 2 ? best : Recorded{};
}

struct Process {
  std::vector<Gap> gaps;  // in order, none overlapping another
  Recorded all{std::numeric_limits<Nanoseconds>::max(), std::numeric_limits<Nanoseconds>::min()};

  void add(const Gap& gap) {
    const auto meets = [&](const Gap& g) { return overlap(g.at, gap.at); };
    if (gaps.size() < kMostGaps && std::ranges::none_of(gaps, meets)) gaps.push_back(gap);
  }
};

struct Step {
  Nanoseconds start, end;
  std::uint32_t number;
};

}  // namespace

std::map<std::int64_t, std::vector<Recorded>> recordings_in(const EventStore& events,
                                                            std::span<const trace::LaneInfo> lanes,
                                                            std::vector<Recorded> windows, StopCheck& stop) {
  std::map<std::int64_t, Process> processes;
  for (std::size_t l = 0; l < events.lane_count(); ++l) {
    if (lanes[l].kind != trace::LaneKind::Iterations || events.size(l) < 2) continue;
    std::vector<Step> steps;
    for (std::size_t i = 0; i < events.size(l); ++i) {
      stop();
      const trace::Event e = events[events.handle(l, i)];
      steps.push_back({e.start_ns, e.end_ns, e.a});
    }
    std::ranges::sort(steps, {}, &Step::start);
    for (std::size_t i = 1; i < steps.size(); ++i) {
      const Step &before = steps[i - 1], &after = steps[i];
      if (after.number == before.number + 1 || after.start <= before.end) continue;
      const Nanoseconds shorter = std::min(before.end - before.start, after.end - after.start);
      processes[lanes[l].pid].add({{before.end, after.start}, shorter / 2});
    }
  }
  std::ranges::sort(windows, {}, &Recorded::from_ns);
  for (std::size_t i = 1; i < windows.size(); ++i) {
    if (windows[i].from_ns <= windows[i - 1].to_ns) continue;
    for (const trace::LaneInfo& lane : lanes) {
      if (lane.kind == trace::LaneKind::Calls) processes[lane.pid].add({{windows[i - 1].to_ns, windows[i].from_ns}});
    }
  }
  if (processes.empty()) return {};

  for (auto& [pid, process] : processes) std::ranges::sort(process.gaps, {}, [](const Gap& g) { return g.at.from_ns; });
  for (std::size_t l = 0; l < events.lane_count(); ++l) {
    const auto found = processes.find(lanes[l].pid);
    if (found == processes.end()) continue;
    Process& process = found->second;
    const bool ranges = lanes[l].kind == trace::LaneKind::Phases || lanes[l].kind == trace::LaneKind::Iterations ||
                        lanes[l].kind == trace::LaneKind::GpuRanges;
    for (std::size_t i = 0; i < events.size(l); ++i) {
      stop();
      const EventStore::Handle h = events.handle(l, i);
      const Recorded at{events.start(h), std::max(events.start(h), events.end(h))};
      process.all = {std::min(process.all.from_ns, at.from_ns), std::max(process.all.to_ns, at.to_ns)};
      if (ranges && trace::range_kind_of(events[h]) != trace::RangeKind::Operator) continue;
      auto gap = std::ranges::upper_bound(process.gaps, at.from_ns, {}, [](const Gap& g) { return g.at.to_ns; });
      for (; gap != process.gaps.end() && gap->at.from_ns < at.to_ns; ++gap) {
        if (gap->busy.size() < kMostInGap) gap->busy.push_back(at);
      }
    }
  }

  std::map<std::int64_t, std::vector<Recorded>> recordings;
  for (auto& [pid, process] : processes) {
    std::vector<Recorded> of;
    Nanoseconds from = process.all.from_ns;
    for (Gap& gap : process.gaps) {
      const Recorded hole = hole_in(gap);
      if (hole.to_ns <= hole.from_ns) continue;
      of.push_back({from, hole.from_ns});
      from = hole.to_ns;
    }
    if (of.empty()) continue;
    of.push_back({from, process.all.to_ns});
    recordings[pid] = std::move(of);
  }
  return recordings;
}

}  // namespace lanescope::io
