#include "reference.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>
#include <string>

namespace lanescope::analysis_test {

using analysis::BubbleCause;
using base::Nanoseconds;
using trace::Event;
using trace::LaneKind;

namespace {

struct Interval {
  Nanoseconds start, end;
};

Nanoseconds covered(const std::vector<Interval>& intervals, Nanoseconds from, Nanoseconds to) {
  std::set<Nanoseconds> times{from, to};
  for (const Interval& i : intervals)
    for (const Nanoseconds t : {i.start, i.end})
      if (t > from && t < to) times.insert(t);
  Nanoseconds sum = 0;
  for (auto t = times.begin(), u = std::next(t); u != times.end(); t = u++)
    if (std::any_of(intervals.begin(), intervals.end(),
                    [&](const Interval& i) { return i.start <= *t && i.end >= *u && i.end > i.start; }))
      sum += *u - *t;
  return sum;
}

struct Facts {
  const trace::Trace& trace;
  std::vector<Event> calls, ops, host_waits;
  std::map<std::uint32_t, Event> issuer;  // by correlation

  std::int64_t thread(const Event& e) const { return trace.lane(e.lane).info().tid; }
  LaneKind kind(const Event& e) const { return trace.lane(e.lane).info().kind; }
  std::string name(const Event& e) const { return std::string(trace.names().text(e.name)); }
  std::int32_t stream(const Event& e) const { return trace.lane(e.lane).info().stream; }
  bool is(const Event& call, const std::string& api) const {
    return name(call) == "cuda" + api || name(call) == "hip" + api;
  }
  /// StartOrEnd: it blocks no thread.
  BubbleCause held_by(const Event& call) const {
    if (is(call, "HostAlloc") || call.kind == trace::EventKind::Range) return BubbleCause::Pinning;
    if (is(call, "Malloc") || is(call, "Free")) return BubbleCause::Allocation;
    const bool stages = is(call, "MemcpyAsync") && trace::is_blocking(call) && !trace::is_sync(call);
    return stages ? BubbleCause::Staging : BubbleCause::StartOrEnd;
  }
  bool holds(const Event& call) const { return held_by(call) != BubbleCause::StartOrEnd; }
};

/// The operation that ends a gap there; where several start at once, of the first lane.
const Event& operation_at(const Facts& facts, Nanoseconds start) {
  const Event* next = nullptr;
  for (const Event& op : facts.ops)
    if (op.start_ns == start && op.end_ns > op.start_ns && (!next || op.lane < next->lane)) next = &op;
  return *next;
}
/// When it was launched; never: unknown.
Nanoseconds launch_of(const Facts& facts, Nanoseconds start) {
  const std::uint32_t correlation = operation_at(facts, start).correlation;
  const auto issuer = facts.issuer.find(correlation);
  return correlation != 0 && issuer != facts.issuer.end() ? issuer->second.start_ns
                                                          : std::numeric_limits<Nanoseconds>::min();
}

// The rules as stated in summary.h and gap_causes.h, applied to every call of the trace.
std::vector<ReferenceBubble> divided(const Facts& facts, const ReferenceBubble& gap, bool first = false) {
  const Event* next = &operation_at(facts, gap.end);
  const auto issuer = facts.issuer.find(next->correlation);
  const Event* launch = next->correlation != 0 && issuer != facts.issuer.end() ? &issuer->second : nullptr;
  const Nanoseconds issued = launch ? launch->start_ns : gap.end;
  const Nanoseconds begun = std::clamp(issued, gap.start, gap.end);
  const Nanoseconds whole = gap.end - gap.start;

  // Of the operations that end where the gap starts, the one that began first.
  const Event* before = nullptr;
  for (const Event& op : facts.ops) {
    if (op.end_ns != gap.start || op.end_ns <= op.start_ns) continue;
    if (!before || std::pair(op.start_ns, op.lane) < std::pair(before->start_ns, before->lane)) before = &op;
  }
  const bool between_nodes = launch && before && before->correlation == next->correlation;

  const Event* sync = nullptr;
  for (const Event& c : facts.calls) {
    if (first || !trace::is_sync(c) || facts.is(c, "Free") || c.start_ns > gap.start || c.end_ns > issued) continue;
    const bool waited_until_then = c.end_ns - trace::parts_of(c).returning == gap.start;
    if (!(gap.start < c.end_ns || waited_until_then)) continue;
    const auto rank = [&](const Event& e) { return std::pair(launch && e.lane == launch->lane, e.end_ns); };
    if (!sync || rank(c) > rank(*sync)) sync = &c;
  }
  std::vector<std::pair<BubbleCause, std::vector<Interval>>> held{
      {BubbleCause::Loader, {}}, {BubbleCause::Pinning, {}}, {BubbleCause::Allocation, {}}, {BubbleCause::Staging, {}}};
  for (const Event& w : facts.host_waits)
    if (!launch || facts.thread(w) == facts.thread(*launch) || facts.kind(*next) == LaneKind::CopyH2D)
      held[0].second.push_back({w.start_ns, w.end_ns});
  const auto before_issuer = before ? facts.issuer.find(before->correlation) : facts.issuer.end();
  const auto launched_before = [&](const Event& c) {
    return before && before->correlation != 0 && before_issuer != facts.issuer.end() &&
           facts.thread(c) == facts.thread(before_issuer->second);
  };
  for (const Event& c : facts.calls)
    for (auto& [cause, calls] : held)
      if (facts.held_by(c) == cause && (!launch || facts.thread(c) == facts.thread(*launch) || launched_before(c)))
        calls.push_back({c.start_ns, c.end_ns});
  const auto held_at = [&](Nanoseconds t) {  // StartOrEnd: by nothing
    for (const auto& [cause, calls] : held)
      for (const Interval& i : calls)
        if (t < begun && i.start <= t && t < i.end) return cause;
    return BubbleCause::StartOrEnd;
  };

  std::set<Nanoseconds> times{gap.start, begun, gap.end};
  const auto cut = [&](Nanoseconds t) {
    if (t > gap.start && t < gap.end) times.insert(t);
  };
  for (const auto& [cause, calls] : held)
    for (const Interval& i : calls) cut(i.start), cut(i.end);
  if (sync) cut(sync->end_ns);
  if (launch && launch->end_ns >= begun) cut(launch->end_ns);
  Nanoseconds free = 0, worked = 0;  // neither held nor launching; of that, after the sync's return
  for (auto t = times.begin(); std::next(t) != times.end(); ++t) {
    if (*t >= begun || held_at(*t) != BubbleCause::StartOrEnd) continue;
    free += *std::next(t) - *t;
    if (sync && *t >= sync->end_ns) worked += *std::next(t) - *t;
  }
  const bool outlived = sync && launch && worked > 1'000'000 && worked > sync->duration() && 2 * worked > whole;
  const auto cause_at = [&](Nanoseconds t) {
    if (between_nodes) return BubbleCause::GraphGap;
    if (const BubbleCause by = held_at(t); by != BubbleCause::StartOrEnd) return by;
    if (sync) return outlived && t >= sync->end_ns ? BubbleCause::Cpu : BubbleCause::AfterSync;
    if (!launch) return trace::is_migration(*next) ? BubbleCause::Migration : BubbleCause::Unknown;
    if (facts.holds(*launch)) return t < begun ? BubbleCause::Cpu : facts.held_by(*launch);
    if (2 * free > free + gap.end - begun) return BubbleCause::Cpu;
    const bool behind =
        before && before->kind == trace::EventKind::Copy && facts.stream(*before) != facts.stream(*next);
    return behind && launch->end_ns <= gap.start ? BubbleCause::Dependency
           : gap.end - launch->end_ns <= 100'000 ? BubbleCause::LaunchLatency
           : t < begun                           ? BubbleCause::Cpu
           : t < launch->end_ns                  ? BubbleCause::LaunchLatency
                                                 : BubbleCause::GpuWait;
  };

  // What takes less than a tenth goes to the part before it; at the gap's start, to the one after it.
  std::vector<ReferenceBubble> parts;
  std::map<BubbleCause, Nanoseconds> sums;
  for (auto t = times.begin(); std::next(t) != times.end(); ++t) {
    parts.push_back({*t, *std::next(t), cause_at(*t)});
    sums[parts.back().cause] += *std::next(t) - *t;
  }
  const auto small = [&](const ReferenceBubble& part) { return 10 * sums[part.cause] < whole; };
  BubbleCause last = std::find_if_not(parts.begin(), parts.end(), small)->cause;
  std::vector<ReferenceBubble> joined;
  for (ReferenceBubble& part : parts) {
    last = part.cause = small(part) ? last : part.cause;
    if (joined.empty() || joined.back().cause != part.cause) joined.push_back(part);
    joined.back().end = part.end;
  }
  if (joined.size() > 6) {  // they alternate: one of each cause, in the order of the first
    std::vector<ReferenceBubble> one_of_each;
    Nanoseconds at = gap.start;
    for (const ReferenceBubble& part : joined) {
      const auto same = [&](const ReferenceBubble& other) { return other.cause == part.cause; };
      if (std::any_of(one_of_each.begin(), one_of_each.end(), same)) continue;
      Nanoseconds sum = 0;
      for (const ReferenceBubble& other : joined) sum += same(other) ? other.end - other.start : 0;
      one_of_each.push_back({at, at + sum, part.cause});
      at += sum;
    }
    joined = one_of_each;
  }

  for (ReferenceBubble& part : joined) {
    if (part.cause == BubbleCause::Unknown) continue;  // without parts
    Nanoseconds back = part.start;
    if (sync && !between_nodes && (part.cause == BubbleCause::AfterSync || part.cause == BubbleCause::Cpu))
      back = sync->end_ns;
    const bool of_launch = launch && facts.held_by(*launch) == part.cause && !sync && part.end > begun;
    for (const auto& [cause, calls] : held) {
      Nanoseconds longest = 0;
      if (cause != part.cause || of_launch) continue;
      for (const Interval& i : calls) {
        const Nanoseconds share = std::min(i.end, part.end) - std::max(i.start, part.start);
        if (share > longest) back = std::min(i.end, begun);
        longest = std::max(longest, share);
      }
    }
    back = std::clamp(back, part.start, part.end);
    const Nanoseconds late = std::clamp(issued, back, part.end);
    part.wake = back - part.start;
    part.cpu = late - back;
    part.launch = part.end - late;
  }
  return joined;
}

std::int64_t bytes_until(const Event& copy, Nanoseconds t) {
  const auto bytes = static_cast<std::int64_t>(trace::bytes_of(copy));
  if (t >= copy.end_ns && t > copy.start_ns) return bytes;
  if (t <= copy.start_ns) return 0;
  return std::llround(static_cast<double>(bytes) *
                      (static_cast<double>(t - copy.start_ns) / static_cast<double>(copy.end_ns - copy.start_ns)));
}

}  // namespace

std::array<Nanoseconds, analysis::kBubbleCauses> Reference::by_cause() const {
  std::array<Nanoseconds, analysis::kBubbleCauses> sums{};
  for (const ReferenceBubble& b : bubbles) sums[static_cast<std::size_t>(b.cause)] += b.end - b.start;
  return sums;
}

Nanoseconds Reference::bubble_sum() const {
  Nanoseconds sum = 0;
  for (const ReferenceBubble& b : bubbles) sum += b.end - b.start;
  return sum;
}

Reference reference(const trace::Trace& trace, const std::vector<Event>& events, Nanoseconds from, Nanoseconds to) {
  Reference r;
  Facts facts{trace, {}, {}, {}, {}};
  std::vector<Interval> work, kernels, uploads, downloads;
  std::map<trace::LaneId, std::vector<Interval>> waits;
  std::map<std::int64_t, std::vector<Interval>> loader_waits;
  int iterations = 0;
  const bool finished = trace.complete_until() >= trace.extent().second;
  Nanoseconds loop_begun = std::numeric_limits<Nanoseconds>::max();
  for (const Event& e : events) {
    const bool starts_inside = e.start_ns >= from && e.start_ns < to;
    const LaneKind kind = facts.kind(e);
    iterations += kind == LaneKind::Iterations;
    if (kind == LaneKind::Iterations && starts_inside) loop_begun = std::min(loop_begun, e.start_ns);
    if (trace::is_host_wait(e)) {
      facts.host_waits.push_back(e);
      loader_waits[facts.thread(e)].push_back({e.start_ns, e.end_ns});
    }
    const bool pins = kind == LaneKind::Phases && trace::range_kind_of(e) == trace::RangeKind::Pin;
    if (pins) facts.calls.push_back(e);
    if (kind == LaneKind::Calls) {
      facts.calls.push_back(e);
      if (e.correlation != 0) facts.issuer[e.correlation] = e;
      if (trace::is_blocking(e)) waits[e.lane].push_back({e.start_ns + trace::parts_of(e).own, e.end_ns});
      r.syncs += starts_inside && trace::is_sync(e);
      r.launches += starts_inside && facts.is(e, "LaunchKernel");
    } else if (trace::is_gpu_work_lane(kind)) {
      facts.ops.push_back(e);
      work.push_back({e.start_ns, e.end_ns});
      if (kind == LaneKind::Kernels) kernels.push_back(work.back());
      if (kind == LaneKind::CopyH2D) uploads.push_back(work.back());
      if (kind == LaneKind::CopyD2H) downloads.push_back(work.back());
      if (kind == LaneKind::CopyH2D) r.h2d_bytes += bytes_until(e, to) - bytes_until(e, from);
      if (kind == LaneKind::CopyD2H) r.d2h_bytes += bytes_until(e, to) - bytes_until(e, from);
      r.ops += starts_inside;
    }
  }
  r.busy = covered(work, from, to);
  r.kernel = covered(kernels, from, to);
  r.h2d = covered(uploads, from, to);
  r.d2h = covered(downloads, from, to);
  for (const auto& [lane, intervals] : waits) r.wait += covered(intervals, from, to);
  for (const auto& [thread, intervals] : loader_waits) r.loader_wait += covered(intervals, from, to);

  // Bubbles: start where no work runs, end where the next begins.
  for (Nanoseconds t = from; t < to;) {
    Nanoseconds running_until = t, next_start = to;
    for (const Interval& w : work) {
      if (w.end <= w.start) continue;
      if (w.start <= t && w.end > t) running_until = std::max(running_until, w.end);
      if (w.start > t) next_start = std::min(next_start, w.start);
    }
    if (running_until > t) {
      t = running_until;
      continue;
    }
    ReferenceBubble gap{t, next_start, BubbleCause::StartOrEnd, 0, 0, 0};
    ++r.gaps;
    // Nothing has run before it, but the only iteration had begun when what ends it was launched.
    const bool first = std::none_of(facts.ops.begin(), facts.ops.end(), [&](const Event& op) {
      return op.start_ns < next_start && op.end_ns > op.start_ns;
    });
    if (t == from && first && iterations == 1 && finished && next_start < to &&
        loop_begun <= launch_of(facts, next_start)) {
      if (loop_begun > t) r.bubbles.push_back({t, loop_begun, BubbleCause::StartOrEnd, 0, 0, 0});
      gap.start = std::max(t, loop_begun);
      if (gap.start < gap.end)
        for (const ReferenceBubble& part : divided(facts, gap, true)) r.bubbles.push_back(part);
    } else if (t > from && next_start < to) {
      for (const ReferenceBubble& part : divided(facts, gap)) r.bubbles.push_back(part);
    } else {
      r.bubbles.push_back(gap);
    }
    t = next_start;
  }

  // Run-ahead: each call with operations, from its start to the end of the last of them; others by themselves.
  std::vector<Interval> outstanding;
  std::map<std::uint32_t, std::size_t> of_call;
  for (const Event& op : facts.ops) {
    const auto issuer = facts.issuer.find(op.correlation);
    const bool known = op.correlation != 0 && issuer != facts.issuer.end();
    const auto [place, is_new] = of_call.try_emplace(known ? op.correlation : 0, outstanding.size());
    if (known && !is_new) {
      outstanding[place->second].end = std::max(outstanding[place->second].end, op.end_ns);
    } else {
      place->second = outstanding.size();
      outstanding.push_back({known ? issuer->second.start_ns : op.start_ns, op.end_ns});
    }
  }
  std::set<Nanoseconds> issues{from};
  for (const Interval& o : outstanding) {
    r.run_ahead_ns += std::max<Nanoseconds>(0, std::min(o.end, to) - std::max(o.start, from));
    if (o.start >= from && o.start < to) issues.insert(o.start);
  }
  for (const Nanoseconds t : issues)
    r.run_ahead_max = std::max<std::int64_t>(
        r.run_ahead_max, std::count_if(outstanding.begin(), outstanding.end(),
                                       [t](const Interval& o) { return o.start <= t && t < o.end; }));
  return r;
}

}  // namespace lanescope::analysis_test
