// The NVTX ranges of a watched process: what it says of itself, and NCCL of its collectives.
#include <algorithm>
#include <iterator>

#include "attach/watched_process.h"

namespace lanescope::attach {
namespace {

constexpr std::size_t kMostRanges = 4096, kMostStarted = 1 << 16;
constexpr base::NameId kMostArguments = 1 << 16;

}  // namespace

base::NameId WatchedProcess::arguments(const NcclArguments& of_nccl) {
  base::NameTable& table = trace_.arguments();
  if (table.size() < kMostArguments) {
    const base::NameId number = table.intern(of_nccl.members);
    trace_.collectives().state(number, of_nccl.facts);
    return number;
  }
  const base::NameId known = table.find(of_nccl.members);
  return known != base::NameTable::kEmpty ? known : base::NameTable::kOverflow;
}

/// Of ranges at this depth or deeper the pops are missing.
void WatchedProcess::forget_deeper(Thread& caller, std::uint32_t domain, std::uint64_t depth) {
  if (depth == 0) return;
  const auto nccl = std::ranges::count_if(caller.ranges, &OpenRange::nccl);
  std::erase_if(caller.ranges, [&](const OpenRange& open) { return open.domain == domain && open.depth >= depth; });
  for (auto left = std::ranges::count_if(caller.ranges, &OpenRange::nccl); left < nccl; ++left) caller.nccl.end();
}

void WatchedProcess::take_range(const wire::RangeMessage& range,
                                const std::optional<wire::CollectivePayload>& payload) {
  const Nanoseconds t = here(range.time_ns);
  if (!plausible(t, t)) return;
  Thread& caller = thread(range.thread);
  const auto named = [&] {
    OpenRange open;
    open.text = words_.text(range.name);
    // emit_nvtx() appends numbers that are different each time.
    if (const std::size_t at = open.text.find(", op_id = "); at != std::string::npos) open.text.resize(at);
    open.name = words_.name(open.text);
    open.domain = range.domain;
    open.depth = range.range;
    open.start_ns = t;
    open.nccl = words_.text(range.domain) == "NCCL";
    if (payload) open.arguments = arguments(arguments_of(*payload));
    return open;
  };
  const auto write = [&](const OpenRange& open) {
    trace::Event event;
    event.start_ns = open.start_ns;
    event.end_ns = std::max(open.start_ns, t);
    event.name = open.name;
    trace::set_arguments(event, payload ? arguments(arguments_of(*payload)) : open.arguments);
    if (steps_.add(open.text, range.thread)) {
      write_iteration(caller, range.thread, {event.start_ns, event.end_ns});
      return;
    }
    event.lane = lane(caller.ranges_lane, trace::LaneKind::Phases, trace::LaneRole::None, "NVTX", range.thread);
    trace::set_range_kind(event,
                          open.text.starts_with("aten::") ? trace::RangeKind::Operator : trace::RangeKind::Other);
    write_range(event);
  };
  switch (range.act) {
    case wire::RangeAct::Push:
      forget_deeper(caller, range.domain, range.range);
      if (caller.ranges.size() >= kMostRanges) return capture::add(counts_.dropped);
      caller.ranges.push_back(named());
      if (const OpenRange& begun = caller.ranges.back(); begun.nccl) {
        // Once a message has been dropped, so have calls, perhaps: no number is better than a wrong one.
        const bool all_counted = ring_.status().dropped.load(std::memory_order_relaxed) == 0;
        const std::uint32_t number = payload && all_counted ? collective_numbers_.next(begun.text, *payload) : 0;
        caller.nccl.begin(begun.text, payload, number);
      }
      return;
    case wire::RangeAct::Pop: {
      if (range.range != 0) forget_deeper(caller, range.domain, range.range + 1);
      const auto innermost = std::find_if(caller.ranges.rbegin(), caller.ranges.rend(),
                                          [&](const OpenRange& open) { return open.domain == range.domain; });
      if (innermost == caller.ranges.rend() || innermost->depth != range.range) return;  // its push is missing
      const OpenRange open = *innermost;
      caller.ranges.erase(std::next(innermost).base());
      if (open.nccl) caller.nccl.end();
      write(open);
      return;
    }
    case wire::RangeAct::Start:
      if (started_.size() >= kMostStarted) return capture::add(counts_.dropped);
      started_[range.range] = named();
      return;
    case wire::RangeAct::End: {
      const auto open = started_.find(range.range);
      if (open == started_.end()) return;
      write(open->second);
      started_.erase(open);
      return;
    }
    case wire::RangeAct::Mark:
      write(named());
      return;
  }
}

}  // namespace lanescope::attach
