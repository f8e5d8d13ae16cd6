#include "analysis/gap_causes.h"

#include <algorithm>

namespace lanescope::analysis {
namespace {

/// A gap is closed by an operation, and before each there is at most one or two held calls: this many in one gap are
/// memory being set up, and the oldest of them may go.
constexpr std::size_t kMaxHolds = 1024;

/// The call was back at `back`, the launch began at `issued`.
void split(Bubble& gap, Nanoseconds back, Nanoseconds issued) {
  back = std::clamp(back, gap.start_ns, gap.end_ns);
  issued = std::clamp(issued, back, gap.end_ns);
  gap.wake_ns = back - gap.start_ns;
  gap.cpu_ns = issued - back;
  gap.launch_ns = gap.end_ns - issued;
}

}  // namespace

void GapCauses::sync(const trace::Event& call, trace::LaneId lane, Nanoseconds idle_since) {
  // A gap to come starts either at idle_since or later than now.
  const Nanoseconds now = call.start_ns;
  std::erase_if(syncs_, [&](const HeldCall& c) { return c.end < now && (c.start > idle_since || c.end < idle_since); });
  syncs_.push_back({call.start_ns, call.end_ns, call.end_ns - trace::parts_of(call).returning, call.name, lane});
}

void GapCauses::hold(const trace::Event& call, trace::LaneId lane, Nanoseconds idle_since) {
  std::erase_if(holds_, [&](const HeldCall& c) { return c.end <= idle_since; });
  if (holds_.size() == kMaxHolds) holds_.erase(holds_.begin(), holds_.begin() + kMaxHolds / 2);
  holds_.push_back({call.start_ns, call.end_ns, call.end_ns, call.name, lane});
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

/// The held call with the largest share, if they cover more than half of the gap together.
const GapCauses::HeldCall* GapCauses::holder(Nanoseconds from, Nanoseconds to) const {
  const HeldCall* longest = nullptr;
  Nanoseconds longest_ns = 0, covered_ns = 0, covered_until = from;
  for (const HeldCall& c : holds_) {
    const Nanoseconds end = std::min(c.end, to);
    const Nanoseconds share = end - std::max(c.start, from);
    if (share > longest_ns) {
      longest_ns = share;
      longest = &c;
    }
    if (end > covered_until) {
      covered_ns += end - std::max(c.start, covered_until);
      covered_until = end;
    }
  }
  return covered_ns > (to - from) / 2 ? longest : nullptr;
}

Bubble GapCauses::explain(Nanoseconds from, Nanoseconds to, const IssuingCall* launch) const {
  Bubble gap;
  gap.start_ns = from;
  gap.end_ns = to;
  const Nanoseconds issued = launch ? launch->start_ns : to;
  const auto blame = [&gap](BubbleCause cause, const auto& call, Nanoseconds call_start) {
    gap.cause = cause;
    gap.call = call.name;
    gap.call_start_ns = call_start;
    gap.call_lane = call.lane;
  };
  if (const HeldCall* sync = drain(from, issued, launch)) {
    blame(BubbleCause::AfterSync, *sync, sync->start);
    split(gap, sync->end, issued);
  } else if (launch && launch->holds) {
    blame(BubbleCause::Copy, *launch, launch->start_ns);
    split(gap, from, issued);
  } else if (const HeldCall* hold = holder(from, to)) {
    blame(BubbleCause::Copy, *hold, hold->start);
    split(gap, hold->end <= issued ? hold->end : from, issued);
  } else {
    gap.cause = BubbleCause::LaunchTooSlow;
    if (launch) blame(BubbleCause::LaunchTooSlow, *launch, launch->start_ns);
    split(gap, from, issued);
  }
  return gap;
}

}  // namespace lanescope::analysis
