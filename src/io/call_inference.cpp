#include "io/event_store.h"

#include <algorithm>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "trace/links.h"

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using trace::CallNature;
using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kInlineCopyBytes = 64 * 1024;  // pageable copies up to this size travel in the command queue
constexpr int kMaxStepsBack = 64;
using Handle = EventStore::Handle;

/// Numbers the processes and GPUs of lanes.
class LaneNumbers {
 public:
  explicit LaneNumbers(std::span<const trace::LaneInfo> lanes) : lanes_(lanes) {
    for (const trace::LaneInfo& lane : lanes) {
      const auto process = processes_.try_emplace(lane.pid, static_cast<trace::ProcessNumber>(processes_.size())).first;
      process_of_.push_back(process->second);
      const bool gpu = trace::is_gpu_work_lane(lane.kind);
      gpu_of_.push_back(gpu ? gpus_.try_emplace({lane.pid, lane.device}, gpus_.size() + 1).first->second : 0);
    }
  }
  trace::ProcessNumber process(trace::LaneId lane) const { return process_of_[lane]; }
  trace::CallKey key(const SyncRecord& sync) const {
    const auto found = processes_.find(sync.pid);
    return {found == processes_.end() ? trace::kNobody : found->second, sync.correlation};
  }
  // The keys by which operations are looked up; each has those of one or more lanes.
  std::uint64_t by_process(trace::LaneId lane) const { return std::uint64_t{process_of_[lane]}; }
  std::uint64_t by_gpu(trace::LaneId lane) const { return kGpus | gpu_of_[lane] << 32; }
  std::uint64_t by_stream(trace::LaneId lane) const { return by_stream(gpu_of_[lane], lanes_[lane].stream); }
  std::uint64_t by_gpu(const SyncRecord& sync) const { return kGpus | gpu(sync) << 32; }
  std::uint64_t by_stream(const SyncRecord& sync) const { return by_stream(gpu(sync), sync.stream); }

 private:
  static constexpr std::uint64_t kGpus = std::uint64_t{1} << 62, kStreams = std::uint64_t{1} << 63;

  static std::uint64_t by_stream(std::uint64_t gpu, std::int32_t stream) {
    return kStreams | gpu << 32 | static_cast<std::uint32_t>(stream);
  }
  /// 0: no operation runs there.
  std::uint64_t gpu(const SyncRecord& sync) const {
    const auto found = gpus_.find({sync.pid, sync.device});
    return found == gpus_.end() ? 0 : found->second;
  }

  std::span<const trace::LaneInfo> lanes_;
  std::map<std::int64_t, trace::ProcessNumber> processes_;
  std::map<std::pair<std::int64_t, std::int32_t>, std::uint64_t> gpus_;  // numbered from 1
  std::vector<trace::ProcessNumber> process_of_;
  std::vector<std::uint64_t> gpu_of_;
};

/// Of the events with each key, the one that starts first: only their handles, because keys and times are theirs. Keys
/// that follow each other, as those of calls do, share a group of slots, so that looking them up in turn costs hardly
/// any waiting for memory. Where two groups fall on one, keys find their place in the same slot of one of the next.
/// Groups are large, so that the events with which keys are compared on the way follow each other, too.
class FirstOf {
 public:
  FirstOf(const EventStore& events, const LaneNumbers& lanes, std::size_t most)
      : events_(events),
        lanes_(lanes),
        groups_((most + most / 3) / kTogether + 2),
        slots_(groups_ * kTogether, kFree) {}
  /// The event has a correlation.
  void add(Handle event) {
    Handle& slot = slots_[place({lanes_.process(events_.lane(event)), events_.correlation(event)})];
    if (slot == kFree || events_.start(event) < events_.start(slot)) slot = event;
  }
  std::optional<Handle> find(const trace::CallKey& key) const {
    if (key.correlation == 0) return std::nullopt;
    const Handle slot = slots_[place(key)];
    return slot == kFree ? std::nullopt : std::optional(slot);
  }

 private:
  static constexpr Handle kFree = std::numeric_limits<Handle>::max();
  static constexpr std::size_t kTogether = 1024;

  bool has(std::size_t at, const trace::CallKey& key) const {
    const Handle event = slots_[at];
    return events_.correlation(event) == key.correlation && lanes_.process(events_.lane(event)) == key.process;
  }
  std::size_t place(const trace::CallKey& key) const {
    std::uint64_t hash = (std::uint64_t{key.process} << 32 | key.correlation) / kTogether * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
    const std::size_t group = (hash & 0xFFFFFFFFu) * groups_ >> 32;
    std::size_t at = group * kTogether + (key.correlation ^ hash >> 40) % kTogether;
    while (slots_[at] != kFree && !has(at, key)) {
      at += kTogether;
      if (at >= slots_.size()) at = (at + 1) % kTogether;  // so that it passes all of them
    }
    return at;
  }

  const EventStore& events_;
  const LaneNumbers& lanes_;
  std::size_t groups_;
  std::vector<Handle> slots_;
};

/// The operations of a lane, by their ends. Most lanes have them in that order.
class LaneEnds {
 public:
  LaneEnds(const EventStore& events, trace::LaneId lane, StopCheck& stop) : events_(events), lane_(lane) {
    size_ = events.size(lane);
    bool sorted = true;
    for (std::size_t i = 1; i < size_ && sorted; ++i) {
      stop();
      sorted = end(i - 1) <= end(i);
    }
    if (sorted) return;
    order_.resize(size_);
    for (std::size_t i = 0; i < size_; ++i) order_[i] = events.handle(lane, i);
    std::sort(order_.begin(), order_.end(), [&](Handle a, Handle b) {
      stop();
      return events_.end(a) < events_.end(b);
    });
  }
  Handle at(std::size_t i) const { return order_.empty() ? events_.handle(lane_, i) : order_[i]; }
  Nanoseconds end(std::size_t i) const { return events_.end(at(i)); }
  /// How many end at or before t. Fast when t is near that of the call before.
  std::size_t until(Nanoseconds t) const {
    std::size_t low = near_, high = near_, step = 1;  // those before low do; from high on, none does
    while (low > 0 && end(low - 1) > t) {
      high = low - 1;
      low -= std::min(low, step);
      step *= 2;
    }
    step = 1;
    while (high < size_ && end(high) <= t) {
      low = high + 1;
      high = std::min(size_, high + step);
      step *= 2;
    }
    while (low < high) {
      const std::size_t middle = low + (high - low) / 2;
      if (end(middle) <= t) {
        low = middle + 1;
      } else {
        high = middle;
      }
    }
    return near_ = low;
  }

 private:
  const EventStore& events_;
  trace::LaneId lane_;
  std::size_t size_ = 0;
  std::vector<Handle> order_;  // empty: in the lane's order
  mutable std::size_t near_ = 0;
};

std::size_t count(const EventStore& events, std::span<const trace::LaneInfo> lanes, bool gpu) {
  std::size_t n = 0;
  for (std::size_t l = 0; l < events.lane_count(); ++l) {
    if (gpu ? trace::is_gpu_work_lane(lanes[l].kind) : lanes[l].kind == trace::LaneKind::Calls) n += events.size(l);
  }
  return n;
}

// This cannot use trace::Links: the events are not in a trace yet, because a call's type and waits are determined here.
class Inference {
 public:
  Inference(EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
            std::span<const SyncRecord> syncs, StopCheck& stop)
      : events_(events),
        infos_(lanes),
        lanes_(lanes),
        names_(names),
        syncs_(syncs),
        op_of_(events, lanes_, count(events, lanes, true)),
        call_of_(events, lanes_, count(events, lanes, false)) {
    for (std::uint32_t i = 0; i < syncs.size(); ++i) {
      if (syncs[i].correlation != 0) sync_of_.try_emplace(lanes_.key(syncs[i]), i);
    }
    ends_.reserve(events.lane_count());  // they do not move
    for (std::size_t l = 0; l < events.lane_count(); ++l) {
      const auto lane = static_cast<trace::LaneId>(l);
      const bool gpu = trace::is_gpu_work_lane(lanes[l].kind);
      if (!gpu && lanes[l].kind != trace::LaneKind::Calls) continue;
      FirstOf& first = gpu ? op_of_ : call_of_;
      for (std::size_t i = 0; i < events.size(l); ++i) {
        stop();
        const Handle event = events.handle(l, i);
        if (events.correlation(event) != 0) first.add(event);
      }
      if (!gpu) continue;
      const LaneEnds* const ends = &ends_.emplace_back(events, lane, stop);
      for (const std::uint64_t key : {lanes_.by_process(lane), lanes_.by_gpu(lane), lanes_.by_stream(lane)}) {
        ends_by_[key].push_back(ends);
      }
    }
  }

  void infer(Event& call) {
    const CallNature nature = nature_of(call.name);
    if (nature == CallNature::Other) note_capture(call);
    const auto found = op_of_.find(key(call));
    if (found || nature == CallNature::Launch || nature == CallNature::BlockingCopy ||
        nature == CallNature::AsyncCopy) {
      call.flags |= trace::kLaunchFlag;
    }
    if (nature == CallNature::Launch && counts(call, found)) note_launch(call, found);
    if (nature == CallNature::Sync) {
      call.flags |= trace::kSyncFlag;
      infer_wait(call);
    } else if (nature == CallNature::BlockingCopy || nature == CallNature::AsyncCopy) {
      const std::optional<Event> op = found ? std::optional(events_[*found]) : std::nullopt;
      const bool copies = op && op->kind == EventKind::Copy;
      infer_copy(call, copies ? &*op : nullptr, nature == CallNature::AsyncCopy);
      if (copies && nature == CallNature::AsyncCopy) mark_asynchronous(*found, *op);
    }
  }

  /// After all calls: pass them once more to look_for_lost() if it is worth it, since few files lack records.
  bool lacks_some() {
    capturing_.clear();
    return lost_ >= kFewestLost;
  }
  void look_for_lost(const Event& call) {
    const CallNature nature = nature_of(call.name);
    if (nature == CallNature::Other) note_capture(call);
    const auto found = op_of_.find(key(call));
    if (nature != CallNature::Launch || !counts(call, found)) return;
    std::optional<Nanoseconds> runs;
    if (found) runs = events_.start(*found);
    launches_[infos_[call.lane].pid].push_back({call.start_ns, runs});
  }
  RecordFaults faults() {
    for (auto& [pid, launches] : launches_) {
      std::ranges::sort(launches, {}, &Launch::start);
      const auto lost = [](const Launch& launch) { return !launch.runs; };
      for (auto at = launches.begin(); at != launches.end();) {
        const auto first = std::find_if(at, launches.end(), lost), next = std::find_if_not(first, launches.end(), lost);
        at = next;
        if (next - first < kFewestLost) continue;
        faults_.without += static_cast<std::size_t>(next - first);
        const bool at_end = next == launches.end();
        faults_.unknown.push_back({pid, first == launches.begin() ? kBegin : first->start,
                                   at_end ? kEnd : std::max(next->start, *next->runs), at_end ? kEnd : next->start});
      }
    }
    return std::move(faults_);
  }

 private:
  static constexpr std::ptrdiff_t kFewestLost = 3;  // in a row; single ones may be launches of nothing
  static constexpr Nanoseconds kBegin = RecordFaults::kBegin, kEnd = RecordFaults::kEnd;
  struct Launch {
    Nanoseconds start;
    std::optional<Nanoseconds> runs;  ///< from then on; nothing: its operation is not in the file
  };

  // What is launched while a graph is captured does not run.
  bool counts(const Event& launch, std::optional<Handle> operation) const {
    return launch.correlation != 0 && (operation || !capturing_.contains(launch.lane));
  }
  void note_launch(const Event& call, std::optional<Handle> operation) {
    ++faults_.launches;
    if (!operation) {
      ++lost_;
      return;
    }
    constexpr Nanoseconds kClocksDiffer = 200 * base::kMicrosecond;  // AMD's by up to 30 us
    const Nanoseconds early = call.start_ns - events_.start(*operation);
    if (early <= kClocksDiffer) return;
    ++faults_.early;
    faults_.most_early_ns = std::max(faults_.most_early_ns, early);
  }
  void note_capture(const Event& call) {
    const std::string_view name = names_.text(call.name);
    if (name.find("StreamBeginCapture") != std::string_view::npos) capturing_.insert(call.lane);
    if (name.find("StreamEndCapture") != std::string_view::npos) capturing_.erase(call.lane);
  }

  trace::CallKey key(const Event& e) const { return {lanes_.process(e.lane), e.correlation}; }

  bool issued_before(Handle op, Nanoseconds t) const {
    const auto call = call_of_.find({lanes_.process(events_.lane(op)), events_.correlation(op)});
    return !call || events_.start(*call) < t;  // what issued it may have been before the trace began
  }

  /// The latest end in (from, to] of an operation with this key that was issued before `from`.
  std::optional<Nanoseconds> last_end(std::uint64_t key, Nanoseconds from, Nanoseconds to) {
    const auto found = ends_by_.find(key);
    if (found == ends_by_.end()) return std::nullopt;
    next_.clear();
    for (const LaneEnds* lane : found->second) {
      if (const std::size_t i = lane->until(to); i > 0) next_.push_back({lane, i - 1});
    }
    for (int step = 0; !next_.empty() && step < kMaxStepsBack; ++step) {
      const auto latest = std::ranges::max_element(next_, {}, [](const Next& n) { return n.lane->end(n.i); });
      const Nanoseconds end = latest->lane->end(latest->i);
      if (end <= from) return std::nullopt;
      if (issued_before(latest->lane->at(latest->i), from)) return end;
      if (latest->i-- == 0) next_.erase(latest);
    }
    return std::nullopt;
  }

  CallNature nature_of(base::NameId name) {
    const auto [it, added] = natures_.try_emplace(name, CallNature::Other);
    if (added) it->second = trace::call_nature(names_.text(name));
    return it->second;
  }

  void infer_wait(Event& call) {
    const auto found = call.correlation != 0 ? sync_of_.find(key(call)) : sync_of_.end();
    const SyncRecord* const record = found != sync_of_.end() ? &syncs_[found->second] : nullptr;
    std::uint64_t of = lanes_.by_process(call.lane);
    if (record && record->device >= 0) of = record->stream >= 0 ? lanes_.by_stream(*record) : lanes_.by_gpu(*record);
    const std::optional<Nanoseconds> until = last_end(of, call.start_ns, call.end_ns);
    if (!until) return;
    trace::CallParts parts;
    if (record) parts.own = std::clamp<Nanoseconds>(record->start_ns - call.start_ns, 0, *until - call.start_ns);
    parts.returning = call.end_ns - *until;
    trace::set_parts(call, parts);
  }

  void mark_asynchronous(Handle place, Event copy) {
    trace::CopyTraits traits = trace::copy_traits_of(copy);
    traits.asynchronous = true;
    trace::set_copy_traits(copy, traits);
    events_.set(place, copy);
  }

  void infer_copy(Event& call, const Event* copy, bool asynchronous) {
    if (!copy) {
      if (!asynchronous) call.flags |= trace::kSyncFlag;
      return;
    }
    const trace::CopyTraits traits = trace::copy_traits_of(*copy);
    const bool to_host = traits.direction == trace::CopyDirection::DeviceToHost;
    const bool from_host = traits.direction == trace::CopyDirection::HostToDevice;
    // The host does not wait for copies between devices. But reads on AMD's GPUs are recorded as such copies, too: a
    // synchronous call that returns only after its copy has waited for it.
    const bool waits = !asynchronous && (copy->end_ns <= call.end_ns || always_waits(call.name));
    if (!to_host && !from_host && !waits) return;
    const bool to_pageable = to_host && traits.destination == trace::MemoryKind::Pageable;
    const bool from_pageable = from_host && traits.source == trace::MemoryKind::Pageable;
    const bool staged = from_pageable && trace::bytes_of(*copy) > kInlineCopyBytes;
    if (!asynchronous || to_pageable) call.flags |= trace::kSyncFlag;
    if (asynchronous && !to_pageable && !staged) return;

    const Nanoseconds begin = std::clamp(copy->start_ns, call.start_ns, std::max(call.start_ns, call.end_ns));
    const Nanoseconds end = std::clamp(copy->end_ns, begin, std::max(begin, call.end_ns));
    if (begin >= end) {  // the bytes moved after the call had returned, or the clocks differ
      if (!asynchronous) infer_wait(call);
      return;
    }
    const auto waited = last_end(lanes_.by_stream(copy->lane), call.start_ns, begin);
    // Own cost is everything except waiting. Part of it may lie between the wait and the copy, but it is placed first.
    trace::CallParts parts;
    parts.own = waited ? begin - *waited : begin - call.start_ns;
    parts.copying = end - begin;
    parts.returning = call.end_ns - end;
    trace::set_parts(call, parts);
  }

  /// hipMemcpyWithStream is a copy and a hipStreamSynchronize.
  bool always_waits(base::NameId call) const { return names_.text(call).find("WithStream") != std::string_view::npos; }

  EventStore& events_;
  const std::span<const trace::LaneInfo> infos_;
  const LaneNumbers lanes_;
  const base::NameTable& names_;
  std::span<const SyncRecord> syncs_;
  trace::CallMap<std::uint32_t> sync_of_;
  FirstOf op_of_, call_of_;
  std::unordered_map<base::NameId, CallNature> natures_;
  std::vector<LaneEnds> ends_;
  std::unordered_map<std::uint64_t, std::vector<const LaneEnds*>> ends_by_;
  struct Next {
    const LaneEnds* lane;
    std::size_t i;
  };
  std::vector<Next> next_;                                // keeps its memory
  std::map<std::int64_t, std::vector<Launch>> launches_;  // by process
  std::set<trace::LaneId> capturing_;
  std::ptrdiff_t lost_ = 0;  // launches without an operation
  RecordFaults faults_;
};

}  // namespace

RecordFaults infer_calls(EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
                         std::span<const SyncRecord> syncs, const ReadProgress& progress) {
  StopCheck stop(progress);
  Inference inference(events, lanes, names, syncs, stop);
  const auto each_call = [&](auto&& pass) {
    for (std::size_t l = 0; l < events.lane_count(); ++l) {
      if (lanes[l].kind != trace::LaneKind::Calls) continue;
      for (std::size_t i = 0; i < events.size(l); ++i) {
        stop();
        const Handle place = events.handle(l, i);
        Event call = events[place];
        if (call.end_ns > call.start_ns) pass(place, call);
      }
    }
  };
  each_call([&](Handle place, Event& call) {
    inference.infer(call);
    events.set(place, call);
  });
  if (inference.lacks_some()) each_call([&](Handle, const Event& call) { inference.look_for_lost(call); });
  return inference.faults();
}

}  // namespace lanescope::io
