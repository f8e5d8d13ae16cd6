#include "analysis/gap_causes.h"

#include <algorithm>
#include <array>

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

const GapCauses::HeldCall* GapCauses::longest(BubbleCause cause, Nanoseconds from, Nanoseconds to,
                                              const IssuingCall* launch, std::size_t thread,
                                              const Around& around) const {
  const HeldCall* found = nullptr;
  Nanoseconds most = 0;
  for (const HeldCall& c : cause == BubbleCause::Loader ? waits_ : holds_) {
    const bool counts = c.hold == Hold::None || held_by(c.hold) == cause;
    if (!counts || !delays(c, launch, thread, around)) continue;
    const Nanoseconds within = std::min(c.end, to) - std::max(c.start, from);
    if (within > most) {
      most = within;
      found = &c;
    }
  }
  return found;
}

/// Where several hold, the first of Loader, Pinning, Allocation, Staging.
void GapCauses::find_held(Nanoseconds from, Nanoseconds to, const IssuingCall* launch, std::size_t thread,
                          const Around& around) {
  held_.clear();
  if (to <= from) return;
  constexpr std::array kOrder{BubbleCause::Loader, BubbleCause::Pinning, BubbleCause::Allocation, BubbleCause::Staging};
  for (const BubbleCause cause : kOrder) {
    const std::size_t known = held_.size();  // of the causes before this one, in order
    const auto add = [&](Nanoseconds start, Nanoseconds end) {
      for (std::size_t i = 0; i < known && start < end; ++i) {
        const Stretch other = held_[i];  // held_ grows meanwhile
        if (other.end <= start || other.start >= end) continue;
        if (other.start > start) held_.push_back({start, other.start, cause});
        start = std::max(start, other.end);
      }
      if (start < end) held_.push_back({start, end, cause});
    };
    Nanoseconds until = from;
    for (const HeldCall& c : cause == BubbleCause::Loader ? waits_ : holds_) {
      if (c.hold != Hold::None && held_by(c.hold) != cause) continue;
      if (!delays(c, launch, thread, around)) continue;
      add(std::max(c.start, until), std::min(c.end, to));
      until = std::max(until, c.end);
    }
    std::ranges::sort(held_, {}, &Stretch::start);
  }
}

/// A cause of less than a tenth goes to the stretch before it, or after it.
void GapCauses::join_small(Nanoseconds whole) {
  std::array<Nanoseconds, kBubbleCauses> sums{};
  for (const Stretch& s : stretches_) sums[static_cast<std::size_t>(s.cause)] += s.end - s.start;
  const auto small = [&](const Stretch& s) { return 10 * sums[static_cast<std::size_t>(s.cause)] < whole; };
  const auto first = std::ranges::find_if_not(stretches_, small);
  BubbleCause last = first->cause;
  std::size_t joined = 0;
  for (const Stretch& s : stretches_) {
    if (!small(s)) last = s.cause;
    if (joined > 0 && stretches_[joined - 1].cause == last) {
      stretches_[joined - 1].end = s.end;
    } else {
      stretches_[joined++] = {s.start, s.end, last};
    }
  }
  stretches_.resize(joined);
}

void GapCauses::join_alternating() {
  if (stretches_.size() <= kMostParts) return;
  std::vector<Stretch> joined;
  for (const Stretch& s : stretches_) {
    auto known = std::ranges::find(joined, s.cause, &Stretch::cause);
    if (known == joined.end()) known = joined.insert(known, {0, 0, s.cause});
    known->end += s.end - s.start;
  }
  Nanoseconds at = stretches_.front().start;
  for (Stretch& s : joined) {
    s.start = at;
    s.end = at += s.end;
  }
  stretches_ = std::move(joined);
}

void GapCauses::explain(const Bubble& gap, const IssuingCall* launch, std::size_t thread, Around around) {
  // What ended before it has no part in it, nor in later ones.
  for (std::vector<HeldCall>* held : {&holds_, &waits_}) {
    if (!held->empty()) std::erase_if(*held, [&](const HeldCall& c) { return c.end <= gap.start_ns; });
  }
  const Nanoseconds from = gap.start_ns, to = gap.end_ns, issued = launch ? launch->start_ns : to;
  const Nanoseconds begun = std::clamp(issued, from, to);
  const HeldCall* const sync = around.first ? nullptr : drain(from, issued, launch);
  find_held(from, begun, launch, thread, around);

  Nanoseconds held_ns = 0, worked_ns = begun - (sync ? std::clamp(sync->end, from, begun) : from);
  for (const Stretch& s : held_) {
    held_ns += s.end - s.start;
    if (sync) worked_ns -= std::max<Nanoseconds>(0, s.end - std::max(s.start, sync->end));
  }
  const bool outlived = sync && launch && worked_ns > kWorkAfterSyncNs && worked_ns > sync->end - sync->start &&
                        2 * worked_ns > to - from;
  const bool holds = launch && launch->holds != Hold::None;
  bool gpu_waits = false;
  BubbleCause before = BubbleCause::Unknown, after = BubbleCause::Unknown;  // the start of the launch
  if (sync) {
    before = outlived ? BubbleCause::Cpu : BubbleCause::AfterSync;
    after = before;
  } else if (holds) {
    before = BubbleCause::Cpu;
    after = held_by(launch->holds);
  } else if (launch) {
    const Nanoseconds cpu_ns = begun - from - held_ns;
    gpu_waits = 2 * cpu_ns <= to - from - held_ns && !(around.behind_copy && launch->end_ns <= from) &&
                to - launch->end_ns > kLongestLaunch;
    before = 2 * cpu_ns > to - from - held_ns               ? BubbleCause::Cpu
             : around.behind_copy && launch->end_ns <= from ? BubbleCause::Dependency
                                                            : BubbleCause::LaunchLatency;
    after = before;
    if (gpu_waits) before = BubbleCause::Cpu;
  } else if (around.migrates) {
    before = after = BubbleCause::Migration;
  }

  stretches_.clear();
  const auto add = [&](Nanoseconds start, Nanoseconds end, BubbleCause cause) {
    if (outlived && start < sync->end && cause == BubbleCause::Cpu) {
      const Nanoseconds back = std::min(end, sync->end);
      stretches_.push_back({start, back, BubbleCause::AfterSync});
      start = back;
    }
    if (start < end) stretches_.push_back({start, end, cause});
  };
  if (around.same_launch && launch) {
    add(from, to, BubbleCause::GraphGap);
  } else {
    Nanoseconds at = from;
    for (const Stretch& s : held_) {
      add(at, s.start, before);
      add(s.start, s.end, s.cause);
      at = s.end;
    }
    add(at, begun, before);
    const Nanoseconds returned = gpu_waits ? std::clamp(launch->end_ns, begun, to) : to;
    add(begun, returned, after);
    add(returned, to, BubbleCause::GpuWait);
  }
  if (stretches_.size() > 1) {
    join_small(to - from);
    join_alternating();
  }

  parts_.clear();
  for (const Stretch& s : stretches_) {
    Bubble part = gap;
    part.start_ns = s.start;
    part.end_ns = s.end;
    part.cause = s.cause;
    part.continues = s.start > from;
    Nanoseconds back = s.start;
    const auto blame = [&part](const auto& call, Nanoseconds call_start) {
      part.call = call.name;
      part.call_start_ns = call_start;
      part.call_lane = call.lane;
    };
    const bool of_launch = holds && s.cause == after && s.end > begun;
    if (s.cause == BubbleCause::AfterSync) {
      blame(*sync, sync->start);
      part.range = sync->range.name;
      back = sync->end;
    } else if (const HeldCall* held = of_launch ? nullptr : longest(s.cause, s.start, s.end, launch, thread, around)) {
      blame(*held, held->start);
      back = std::min(held->end, begun);
    } else if (launch) {
      blame(*launch, launch->start_ns);
      if (outlived) back = sync->end;
    }
    if (s.cause != BubbleCause::Unknown) split(part, back, issued);
    parts_.push_back(part);
  }
}

}  // namespace lanescope::analysis
