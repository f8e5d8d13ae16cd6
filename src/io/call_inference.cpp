#include "io/call_inference.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <map>
#include <optional>
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
constexpr int kMaxRuns = 8;

struct GpuOp {
  std::uint64_t key = 0;  // the search key: a stream, a GPU or a process
  Nanoseconds end = 0;
  Nanoseconds issued = 0;  // start of the call that issued it; the smallest time if that call is not in the trace
};

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
  trace::CallKey key(const Event& e) const { return {process_of_[e.lane], e.correlation}; }
  trace::CallKey key(const SyncRecord& sync) const {
    const auto found = processes_.find(sync.pid);
    return {found == processes_.end() ? trace::kNobody : found->second, sync.correlation};
  }
  std::uint64_t process(const Event& e) const { return process_of_[e.lane]; }
  std::uint64_t gpu(const Event& operation) const { return gpu_of_[operation.lane]; }
  std::uint64_t stream(const Event& operation) const { return stream(gpu(operation), lanes_[operation.lane].stream); }
  /// 0: no operation runs there.
  std::uint64_t gpu(const SyncRecord& sync) const {
    const auto found = gpus_.find({sync.pid, sync.device});
    return found == gpus_.end() ? 0 : found->second;
  }
  static std::uint64_t stream(std::uint64_t gpu, std::int32_t stream) {
    return gpu << 32 | static_cast<std::uint32_t>(stream);
  }

 private:
  std::span<const trace::LaneInfo> lanes_;
  std::map<std::int64_t, trace::ProcessNumber> processes_;
  std::map<std::pair<std::int64_t, std::int32_t>, std::uint64_t> gpus_;  // numbered from 1
  std::vector<trace::ProcessNumber> process_of_;
  std::vector<std::uint64_t> gpu_of_;
};

/// The first value of each key, in one piece of memory. Numbers that follow each other, as those of calls do, lie side
/// by side, so that looking them up in turn costs hardly any waiting for memory.
template <class Value>
class FirstOf {
 public:
  explicit FirstOf(std::size_t most) : slots_(std::bit_ceil(std::max<std::size_t>(most + most / 4 + 1, kTogether))) {}
  void add(const trace::CallKey& key, const Value& value) {
    Slot& slot = slots_[place(key)];
    if (slot.key == 0) slot = {number(key), value};
  }
  const Value* find(const trace::CallKey& key) const {
    const Slot& slot = slots_[place(key)];
    return slot.key == 0 ? nullptr : &slot.value;
  }

 private:
  static constexpr std::size_t kTogether = 16;
  struct Slot {
    std::uint64_t key = 0;  // 0: free
    Value value{};
  };
  // Never 0: links nothing.
  static std::uint64_t number(const trace::CallKey& key) { return std::uint64_t{key.process} << 32 | key.correlation; }
  std::size_t place(const trace::CallKey& key) const {
    const std::uint64_t wanted = number(key);
    std::uint64_t group = wanted / kTogether * 0x9E3779B97F4A7C15u;
    group ^= group >> 32;
    std::size_t at = (group * kTogether + wanted % kTogether) & (slots_.size() - 1);
    while (slots_[at].key != 0 && slots_[at].key != wanted) at = (at + 1) & (slots_.size() - 1);
    return at;
  }

  std::vector<Slot> slots_;
};

class OpIndex {
 public:
  void add(const GpuOp& op) { ops_.push_back(op); }
  void sort(StopCheck& stop) {
    const auto before = [&](const GpuOp& a, const GpuOp& b) {
      stop();
      return std::pair(a.key, a.end) < std::pair(b.key, b.end);
    };
    // Most files have them in order, or some tables with each in order.
    auto sorted = std::is_sorted_until(ops_.begin(), ops_.end(), before);
    for (int runs = 1; sorted != ops_.end(); ++runs) {
      if (runs == kMaxRuns) return std::sort(ops_.begin(), ops_.end(), before);
      const auto end = std::is_sorted_until(sorted, ops_.end(), before);
      std::inplace_merge(ops_.begin(), sorted, end, before);
      sorted = end;
    }
  }
  /// The latest end in (from, to] of an operation issued before `from`.
  std::optional<Nanoseconds> last_end(std::uint64_t key, Nanoseconds from, Nanoseconds to) const {
    auto it = std::upper_bound(ops_.begin(), ops_.end(), std::pair(key, to),
                               [](const auto& wanted, const GpuOp& op) { return wanted < std::pair(op.key, op.end); });
    for (int step = 0; it != ops_.begin() && step < kMaxStepsBack; ++step) {
      --it;
      if (it->key != key || it->end <= from) return std::nullopt;
      if (it->issued < from) return it->end;
    }
    return std::nullopt;
  }

 private:
  std::vector<GpuOp> ops_;
};

template <class Wanted>
std::size_t count(const EventStore& events, Wanted wanted) {
  std::size_t n = 0;
  for (std::size_t i = 0; i < events.size(); ++i) n += wanted(events[i].kind) ? 1 : 0;
  return n;
}

// This cannot use trace::Links: the events are not in a trace yet, because a call's type and waits are determined here.
class Inference {
 public:
  Inference(const EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
            std::span<const SyncRecord> syncs, StopCheck& stop)
      : events_(events), lanes_(lanes), names_(names), syncs_(syncs.size()), op_of_(count(events, trace::is_gpu_work)) {
    for (const SyncRecord& sync : syncs) {
      if (sync.correlation != 0) syncs_.add(lanes_.key(sync), sync);
    }
    FirstOf<Nanoseconds> issued(count(events, [](EventKind kind) { return kind == EventKind::Call; }));
    for (std::size_t i = 0; i < events.size(); ++i) {
      stop();
      const Event& e = events[i];
      if (e.kind == EventKind::Call && e.correlation != 0) issued.add(lanes_.key(e), e.start_ns);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      stop();
      const Event& e = events[i];
      if (!trace::is_gpu_work(e.kind)) continue;
      const Nanoseconds* const call = e.correlation != 0 ? issued.find(lanes_.key(e)) : nullptr;
      GpuOp op{lanes_.process(e), e.end_ns, call ? *call : std::numeric_limits<Nanoseconds>::min()};
      by_process_.add(op);
      op.key = lanes_.gpu(e);
      by_device_.add(op);
      op.key = lanes_.stream(e);
      by_stream_.add(op);
      if (e.correlation != 0) op_of_.add(lanes_.key(e), i);
    }
    for (OpIndex* index : {&by_process_, &by_device_, &by_stream_}) index->sort(stop);
  }

  void infer(Event& call) {
    const CallNature nature = nature_of(call.name);
    const std::size_t* const found = call.correlation != 0 ? op_of_.find(lanes_.key(call)) : nullptr;
    const Event* const op = found ? &events_[*found] : nullptr;
    if (op || nature == CallNature::Launch || nature == CallNature::BlockingCopy || nature == CallNature::AsyncCopy) {
      call.flags |= trace::kLaunchFlag;
    }
    if (nature == CallNature::Sync) {
      call.flags |= trace::kSyncFlag;
      infer_wait(call);
    } else if (nature == CallNature::BlockingCopy || nature == CallNature::AsyncCopy) {
      infer_copy(call, op && op->kind == EventKind::Copy ? op : nullptr, nature == CallNature::AsyncCopy);
    }
  }

 private:
  CallNature nature_of(base::NameId name) {
    const auto [it, added] = natures_.try_emplace(name, CallNature::Other);
    if (added) it->second = trace::call_nature(names_.text(name));
    return it->second;
  }

  void infer_wait(Event& call) const {
    const SyncRecord* const record = call.correlation != 0 ? syncs_.find(lanes_.key(call)) : nullptr;
    std::optional<Nanoseconds> until;
    if (record && record->device >= 0 && record->stream >= 0) {
      until = by_stream_.last_end(LaneNumbers::stream(lanes_.gpu(*record), record->stream), call.start_ns, call.end_ns);
    } else if (record && record->device >= 0) {
      until = by_device_.last_end(lanes_.gpu(*record), call.start_ns, call.end_ns);
    } else {
      until = by_process_.last_end(lanes_.process(call), call.start_ns, call.end_ns);
    }
    if (!until) return;
    trace::CallParts parts;
    if (record) parts.own = std::clamp<Nanoseconds>(record->start_ns - call.start_ns, 0, *until - call.start_ns);
    parts.returning = call.end_ns - *until;
    trace::set_parts(call, parts);
  }

  void infer_copy(Event& call, const Event* copy, bool asynchronous) const {
    if (!copy) {
      if (!asynchronous) call.flags |= trace::kSyncFlag;
      return;
    }
    const trace::CopyTraits traits = trace::copy_traits_of(*copy);
    const bool to_host = traits.direction == trace::CopyDirection::DeviceToHost;
    const bool from_host = traits.direction == trace::CopyDirection::HostToDevice;
    if (!to_host && !from_host) return;  // the host does not wait for copies between devices
    const bool to_pageable = to_host && traits.destination == trace::MemoryKind::Pageable;
    const bool from_pageable = from_host && traits.source == trace::MemoryKind::Pageable;
    const bool staged = from_pageable && trace::bytes_of(*copy) > kInlineCopyBytes;
    if (!asynchronous || to_pageable) call.flags |= trace::kSyncFlag;
    if (asynchronous && !to_pageable && !staged) return;

    const Nanoseconds begin = std::clamp(copy->start_ns, call.start_ns, std::max(call.start_ns, call.end_ns));
    const Nanoseconds end = std::clamp(copy->end_ns, begin, std::max(begin, call.end_ns));
    if (begin >= end) return;  // the bytes moved after the call had returned
    const auto waited = by_stream_.last_end(lanes_.stream(*copy), call.start_ns, begin);
    // Own cost is everything except waiting. Part of it may lie between the wait and the copy, but it is placed first.
    trace::CallParts parts;
    parts.own = waited ? begin - *waited : begin - call.start_ns;
    parts.copying = end - begin;
    parts.returning = call.end_ns - end;
    trace::set_parts(call, parts);
  }

  const EventStore& events_;
  const LaneNumbers lanes_;
  const base::NameTable& names_;
  FirstOf<SyncRecord> syncs_;
  FirstOf<std::size_t> op_of_;
  std::unordered_map<base::NameId, CallNature> natures_;
  OpIndex by_process_, by_device_, by_stream_;
};

}  // namespace

void infer_calls(EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
                 std::span<const SyncRecord> syncs, const ReadProgress& progress) {
  StopCheck stop(progress);
  Inference inference(events, lanes, names, syncs, stop);
  for (std::size_t i = 0; i < events.size(); ++i) {
    stop();
    Event& e = events[i];
    if (e.kind == EventKind::Call && e.end_ns > e.start_ns) inference.infer(e);
  }
}

}  // namespace lanescope::io
