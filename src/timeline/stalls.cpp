#include "timeline/stalls.h"

#include <algorithm>

#include "base/guess_search.h"
#include "inspect/neighbours.h"
#include "trace/event.h"

namespace lanescope::ui {
namespace {

using analysis::Bubble;
using analysis::BubbleCause;
using trace::Event;
using trace::LaneId;

constexpr std::size_t kLook = 16;  // gaps looked at for one call, range or glyph

}  // namespace

bool waits_by_nature(const Event& range) {
  const trace::RangeKind kind = trace::range_kind_of(range);
  return trace::reads_back(kind) || kind == trace::RangeKind::Sync;
}

bool is_stall(BubbleCause cause) {
  return cause == BubbleCause::AfterSync || cause == BubbleCause::Staging || cause == BubbleCause::Pinning ||
         cause == BubbleCause::Allocation;
}

void Stalls::begin(const trace::Trace& trace, const analysis::LiveAnalysis* analysis) {
  trace_ = &trace;
  analysis_ = analysis;
  gpus_.resize(analysis ? analysis->gpu_count() : 0);
  for (std::size_t g = 0; g < gpus_.size(); ++g) {
    const auto number = static_cast<trace::GpuNumber>(g);
    gpus_[g] = {number, &analysis->bubbles(number), gpus_[g].near};
  }
}

bool Stalls::belongs(const Gpu& gpu, LaneId lane) const {
  if (gpus_.size() < 2) return true;
  const trace::Owners& owners = analysis_->links().owners();
  return gpu.number < owners.gpus().size() && owners.gpus()[gpu.number].process == owners.process_of(lane);
}

bool Stalls::same_thread(LaneId a, LaneId b) const {
  if (a == b) return true;
  const trace::LaneInfo &x = trace_->lane(a).info(), &y = trace_->lane(b).info();
  return x.tid == y.tid && x.pid == y.pid && x.host == y.host;
}

// Of the lane's process, the longest gap that matches among those around the end of [from, to), and the sum of those of
// one GPU. A call returns in the gap that it causes, so that the search seldom looks at more than one.
template <typename Matches>
const Bubble* Stalls::longest(LaneId lane, Nanoseconds from, Nanoseconds to, Nanoseconds& sum, Matches matches) {
  const Bubble* best = nullptr;
  sum = 0;
  for (Gpu& gpu : gpus_) {
    if (!belongs(gpu, lane)) continue;
    const analysis::Bubbles& bubbles = *gpu.bubbles;
    const auto end_of = [&](std::size_t i) { return bubbles[i].end_ns; };
    std::size_t i = base::first_above_near(gpu.near, 0, bubbles.size(), to - 1, end_of);
    gpu.near = i;
    Nanoseconds own = 0;
    const auto look = [&](const Bubble& b) {
      if (!is_stall(b.cause) || !matches(b)) return;
      own += b.duration();
      if (!best || b.duration() > best->duration()) best = &b;
    };
    if (i < bubbles.size() && bubbles[i].start_ns <= to) look(bubbles[i]);
    for (std::size_t part = i + 1; part < bubbles.size() && bubbles[part].continues; ++part) look(bubbles[part]);
    for (std::size_t k = 0; k < kLook && i > 0 && bubbles[i - 1].end_ns > from; ++k) look(bubbles[--i]);
    sum = std::max(sum, own);
  }
  return best;
}

StallBlock Stalls::block(LaneId lane, const Event& call) {
  const bool blocking = trace::is_blocking(call);
  StallBlock block{call.start_ns, call.end_ns, call.end_ns};
  if (blocking) block.from += trace::parts_of(call).own;
  Nanoseconds idle = 0;
  longest(lane, call.start_ns, call.end_ns, idle,
          [&](const Bubble& b) { return b.call_lane == lane && b.call_start_ns == call.start_ns; });
  const Nanoseconds length = block.to - block.from;
  if (static_cast<double>(idle) >= kHarmless * static_cast<double>(length)) {
    block.harm_from = block.to - std::min(idle, length);
  }
  if (!blocking && block.lost() == 0) block.from = block.to;
  return block;
}

Nanoseconds Stalls::lost(LaneId lane, Nanoseconds from, Nanoseconds to) {
  double most = 0;
  for (Gpu& gpu : gpus_) {
    if (!belongs(gpu, lane)) continue;
    const analysis::Bubbles& bubbles = *gpu.bubbles;
    const auto end_of = [&](std::size_t i) { return bubbles[i].end_ns; };
    std::size_t i = base::first_above_near(gpu.near, 0, bubbles.size(), from, end_of);
    gpu.near = i;
    Nanoseconds sum = 0, until = to;
    for (std::size_t k = 0; i < bubbles.size() && bubbles[i].start_ns < to; ++i, ++k) {
      const Bubble& b = bubbles[i];
      if (k == kLook) {
        until = b.start_ns;
        break;
      }
      if (is_stall(b.cause) && b.call_lane == lane) sum += std::min(b.end_ns, to) - std::max(b.start_ns, from);
    }
    if (until > from) {
      most =
          std::max(most, static_cast<double>(sum) * static_cast<double>(to - from) / static_cast<double>(until - from));
    }
  }
  return static_cast<Nanoseconds>(most);
}

std::optional<EventRef> Stalls::call_of(const Bubble& gap) const {
  const trace::Lane& lane = trace_->lane(gap.call_lane);
  for (std::size_t r = 0; r < lane.row_count(); ++r) {
    const trace::Row& row = lane.row(r);
    const trace::EventIndex last = row.last();
    const trace::EventIndex i = row.first_starting_at_or_after(gap.call_start_ns, row.first(), last);
    if (i < last && row.start(i) == gap.call_start_ns && row.look(i).name == gap.call) {
      return event_ref(gap.call_lane, r, row, i);
    }
  }
  return std::nullopt;  // evicted
}

bool Stalls::stalls(LaneId lane, const Event& range) {
  Nanoseconds sum = 0;
  const Bubble* gap = longest(lane, range.start_ns, range.end_ns, sum, [&](const Bubble& b) {
    return b.call_start_ns >= range.start_ns && b.call_start_ns < range.end_ns && same_thread(b.call_lane, lane);
  });
  const auto call = gap ? call_of(*gap) : std::nullopt;
  if (!call) return false;
  const StallBlock found = block(call->lane, call->event);
  return found.lost() > 0 && (waits_by_nature(range) || 2 * std::max(found.to - found.from, sum) >= range.duration());
}

// The stalls that begin in [from, to). However many short ones there are, they cost one search per `least`.
template <typename Visit>
void Stalls::visit(Nanoseconds from, Nanoseconds to, Nanoseconds least, Visit visit) const {
  for (const Gpu& gpu : gpus_) {
    const analysis::Bubbles& bubbles = *gpu.bubbles;
    const auto end_of = [&](std::size_t i) { return bubbles[i].end_ns; };
    std::size_t i = base::first_above(0, bubbles.size(), from, end_of);
    while (i < bubbles.size()) {
      const Bubble& b = bubbles[i];
      if (b.duration() >= least && is_stall(b.cause) && b.call_start_ns >= from && b.call_start_ns < to) visit(b);
      if (b.start_ns >= to) break;  // because of a call at the end of the stretch, the GPU may run dry after it
      i = b.duration() < least ? base::first_above_near(i + 1, i + 1, bubbles.size(), b.start_ns + least, end_of)
                               : i + 1;
    }
  }
}

std::optional<Stall> Stalls::costliest(Nanoseconds from, Nanoseconds to, Nanoseconds least, Nanoseconds preferred) {
  constexpr double kAlike = 0.9;
  Nanoseconds longest = 0;
  visit(from, to, least, [&](const Bubble& b) { longest = std::max(longest, b.duration()); });
  const Bubble* best = nullptr;
  const auto before = [&](const Bubble& a, const Bubble& b) {
    const bool liked = a.call_start_ns >= preferred;
    return liked != (b.call_start_ns >= preferred) ? liked : a.call_start_ns < b.call_start_ns;
  };
  visit(from, to, least, [&](const Bubble& b) {
    if (static_cast<double>(b.duration()) < kAlike * static_cast<double>(longest)) return;
    if (!best || before(b, *best)) best = &b;
  });
  const auto call = best ? call_of(*best) : std::nullopt;
  if (!call) return std::nullopt;
  Stall stall{*call, block(call->lane, call->event), *best};
  return stall.block.lost() > 0 ? std::optional(stall) : std::nullopt;
}

std::string_view Stalls::statement(const Stall& stall) const {
  if (analysis_) {
    for (const EventRef& range : enclosing_ranges(analysis_->links(), stall.call)) {
      if (waits_by_nature(range.event)) return trace_->names().text(range.event.name);
    }
  }
  return trace_->names().text(stall.call.event.name);
}

}  // namespace lanescope::ui
