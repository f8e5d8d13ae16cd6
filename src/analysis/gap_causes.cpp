#include "analysis/gap_causes.h"

#include <algorithm>

namespace lanescope::analysis {
namespace {

/// An operation closes a gap, and normally at most one or two blocking calls come before it. This many in one gap mean
/// that memory is being set up, and the oldest can be dropped.
constexpr std::size_t kMaxHolds = 1024;

BubbleCause held_by(Hold hold) {
  return hold == Hold::Pinning      ? BubbleCause::Pinning
         : hold == Hold::Allocation ? BubbleCause::Allocation
                                    : BubbleCause::Staging;
}

/// Sets the gap's three parts: the call returned at `back`, and the launch began at `issued`.
void split(Bubble& gap, Nanoseconds back, Nanoseconds issued) {
  back = std::clamp(back, gap.start_ns, gap.end_ns);
  issued = std::clamp(issued, back, gap.end_ns);
  gap.wake_ns = back - gap.start_ns;
  gap.cpu_ns = issued - back;
  gap.launch_ns = gap.end_ns - issued;
}

}  // namespace

void GapCauses::sync(const trace::Event& call, trace::LaneId lane, std::size_t thread, RangeAround range,
                     Nanoseconds idle_since) {
  // A future gap starts either at idle_since or later than now.
  const Nanoseconds now = call.start_ns;
  std::erase_if(syncs_, [&](const HeldCall& c) { return c.end < now && (c.start > idle_since || c.end < idle_since); });
  syncs_.push_back({call.start_ns, call.end_ns, call.end_ns - trace::parts_of(call).returning, call.name, lane,
                    Hold::None, thread, range});
}

void GapCauses::hold(const trace::Event& call, trace::LaneId lane, std::size_t thread, Hold hold,
                     Nanoseconds idle_since) {
  remember(holds_, {call.start_ns, call.end_ns, call.end_ns, call.name, lane, hold, thread, {}}, idle_since);
}

void GapCauses::pin(const trace::Event& range, trace::LaneId lane, std::size_t thread, Nanoseconds idle_since) {
  hold(range, lane, thread, Hold::Pinning, idle_since);
}

void GapCauses::late_range(const trace::Event& range, std::size_t thread) {
  for (HeldCall& sync : syncs_) {
    if (sync.thread == thread) sync.range.narrow(range.name, range.start_ns, range.end_ns, sync.start);
  }
}

void GapCauses::wait(const trace::Event& range, trace::LaneId lane, std::size_t thread, Nanoseconds idle_since) {
  remember(waits_, {range.start_ns, range.end_ns, range.end_ns, range.name, lane, Hold::None, thread, {}}, idle_since);
}

void GapCauses::remember(std::vector<HeldCall>& held, const HeldCall& call, Nanoseconds idle_since) {
  std::erase_if(held, [&](const HeldCall& c) { return c.end <= idle_since; });
  if (held.size() == kMaxHolds) held.erase(held.begin(), held.begin() + kMaxHolds / 2);
  held.push_back(call);
}

const GapCauses::HeldCall* GapCauses::drain(Nanoseconds from, Nanoseconds issued, const IssuingCall* launch) const {
  const HeldCall* best = nullptr;
  const auto rank = [launch](const HeldCall& c) { return std::pair(launch && c.lane == launch->lane, c.end); };
  for (const HeldCall& c : syncs_) {
    const bool under_way = c.start <= from && (from < c.end || from == c.wait_end);
    if (!under_way || issued < c.end) continue;
    if (!best || rank(c) > rank(*best)) best = &c;
  }
  return best;
}

/// How much of [from, to) the calls in `held` that count cover together, and the call with the largest share. `held` is
/// in start order.
template <class Counts>
GapCauses::Share GapCauses::share(const std::vector<HeldCall>& held, Nanoseconds from, Nanoseconds to, Counts counts) {
  Share sum;
  Nanoseconds longest_ns = 0, covered_until = from;
  for (const HeldCall& c : held) {
    if (!counts(c)) continue;
    const Nanoseconds end = std::min(c.end, to);
    const Nanoseconds share = end - std::max(c.start, from);
    if (share > longest_ns) {
      longest_ns = share;
      sum.longest = &c;
    }
    if (end > covered_until && c.start < to) {
      sum.covered_ns += end - std::max(c.start, covered_until);
      covered_until = end;
    }
  }
  return sum;
}

const GapCauses::HeldCall* GapCauses::holder(Nanoseconds from, Nanoseconds to, const IssuingCall* launch,
                                             std::size_t thread) const {
  if (holds_.empty()) return nullptr;
  const auto counts = [&](const HeldCall& c) { return !launch || c.thread == thread; };
  const Share held = share(holds_, from, to, counts);
  if (held.covered_ns <= (to - from) / 2) return nullptr;
  Share most;
  for (const Hold kind : {Hold::Staging, Hold::Pinning, Hold::Allocation}) {
    const Share one = share(holds_, from, to, [&](const HeldCall& c) { return c.hold == kind && counts(c); });
    if (one.covered_ns > most.covered_ns) most = one;
  }
  return most.longest;
}

const GapCauses::HeldCall* GapCauses::kept_from_launching(const Bubble& gap, const IssuingCall* launch,
                                                          std::size_t thread) const {
  if (holds_.empty()) return nullptr;
  const Nanoseconds begun = launch ? std::min(launch->start_ns, gap.end_ns) : gap.end_ns;
  Share most;
  Nanoseconds covered_ns = 0;
  for (const Hold kind : {Hold::Pinning, Hold::Allocation}) {
    const Share one = share(holds_, gap.start_ns, begun,
                            [&](const HeldCall& c) { return c.hold == kind && (!launch || c.thread == thread); });
    covered_ns += one.covered_ns;
    if (one.covered_ns > most.covered_ns) most = one;
  }
  return 2 * covered_ns > begun - gap.start_ns ? most.longest : nullptr;
}

const GapCauses::HeldCall* GapCauses::wait_for_data(const Bubble& gap, const IssuingCall* launch,
                                                    std::size_t thread) const {
  if (waits_.empty()) return nullptr;
  const Nanoseconds begun = launch ? std::min(launch->start_ns, gap.end_ns) : gap.end_ns;
  const Share waited =
      share(waits_, gap.start_ns, begun, [&](const HeldCall& c) { return !launch || c.thread == thread; });
  if (waited.covered_ns <= (begun - gap.start_ns) / 2) return nullptr;
  const bool copied_longer = launch && launch->holds != Hold::None && gap.end_ns - begun > waited.covered_ns;
  return copied_longer ? nullptr : waited.longest;
}

bool GapCauses::outlived_by_work(const HeldCall& sync, const Bubble& gap, Nanoseconds issued) {
  const Nanoseconds worked = issued - sync.end;
  return worked > kWorkAfterSyncNs && worked > sync.end - sync.start && 2 * worked > gap.duration();
}

void GapCauses::explain(Bubble& gap, const IssuingCall* launch, std::size_t thread, bool behind_copy,
                        bool same_launch) {
  // What ended before it has no part in it, nor in later ones.
  for (std::vector<HeldCall>* held : {&holds_, &waits_}) {
    if (!held->empty()) std::erase_if(*held, [&](const HeldCall& c) { return c.end <= gap.start_ns; });
  }
  const Nanoseconds from = gap.start_ns, to = gap.end_ns;
  const Nanoseconds issued = launch ? launch->start_ns : to;
  const auto blame = [&gap](BubbleCause cause, const auto& call, Nanoseconds call_start) {
    gap.cause = cause;
    gap.call = call.name;
    gap.call_start_ns = call_start;
    gap.call_lane = call.lane;
  };
  if (same_launch && launch) {
    blame(BubbleCause::GraphGap, *launch, launch->start_ns);
    split(gap, from, issued);
  } else if (const HeldCall* wait = wait_for_data(gap, launch, thread)) {
    blame(BubbleCause::Loader, *wait, wait->start);
    split(gap, std::min(wait->end, issued), issued);
  } else if (const HeldCall* sync = drain(from, issued, launch)) {
    if (const HeldCall* kept = kept_from_launching(gap, launch, thread)) {
      blame(held_by(kept->hold), *kept, kept->start);
      split(gap, std::min(kept->end, issued), issued);
      return;
    }
    split(gap, sync->end, issued);
    if (launch && outlived_by_work(*sync, gap, issued)) return blame(BubbleCause::Cpu, *launch, launch->start_ns);
    blame(BubbleCause::AfterSync, *sync, sync->start);
    gap.range = sync->range.name;
  } else if (launch && launch->holds != Hold::None) {
    blame(held_by(launch->holds), *launch, launch->start_ns);
    split(gap, from, issued);
  } else if (const HeldCall* hold = holder(from, to, launch, thread)) {
    blame(held_by(hold->hold), *hold, hold->start);
    split(gap, hold->end <= issued ? hold->end : from, issued);
  } else if (!launch) {
    gap.cause = BubbleCause::Unknown;
  } else {
    split(gap, from, issued);
    blame(2 * gap.cpu_ns > gap.duration()         ? BubbleCause::Cpu
          : behind_copy && launch->end_ns <= from ? BubbleCause::Dependency
          : to - launch->end_ns > kLongestLaunch  ? BubbleCause::GpuWait
                                                  : BubbleCause::LaunchLatency,
          *launch, launch->start_ns);
  }
}

}  // namespace lanescope::analysis
