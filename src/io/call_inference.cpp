#include "io/call_inference.h"

#include <algorithm>
#include <optional>
#include <unordered_map>
#include <utility>
#include <vector>

namespace lanescope::io {
namespace {

using base::Nanoseconds;
using trace::CallNature;
using trace::Event;
using trace::EventKind;

constexpr std::uint64_t kInlineCopyBytes = 64 * 1024;  // pageable copies up to this size travel with the command
constexpr int kMaxStepsBack = 64;

struct GpuOp {
  std::uint64_t key = 0;  // what is searched by: a stream, a device, or nothing
  Nanoseconds end = 0;
  Nanoseconds issued = 0;  // start of the call that issued it; the smallest time if that is not in the trace
};

std::uint64_t device_key(std::int32_t device) { return static_cast<std::uint32_t>(device); }
std::uint64_t stream_key(std::int32_t device, std::int32_t stream) {
  return device_key(device) << 32 | static_cast<std::uint32_t>(stream);
}

class OpIndex {
 public:
  void add(const GpuOp& op) { ops_.push_back(op); }
  void sort(StopCheck& stop) {
    std::sort(ops_.begin(), ops_.end(), [&](const GpuOp& a, const GpuOp& b) {
      stop();
      return std::pair(a.key, a.end) < std::pair(b.key, b.end);
    });
  }
  /// The latest end in (from, to] of an operation that was issued before `from`.
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

class Inference {
 public:
  Inference(const EventStore& events, std::span<const trace::LaneInfo> lanes, const base::NameTable& names,
            std::span<const SyncRecord> syncs, StopCheck& stop)
      : events_(events), lanes_(lanes), names_(names) {
    for (const SyncRecord& sync : syncs) syncs_.try_emplace(sync.correlation, sync);
    std::unordered_map<std::uint32_t, Nanoseconds> issued;
    for (std::size_t i = 0; i < events.size(); ++i) {
      stop();
      const Event& e = events[i];
      if (e.kind == EventKind::Call && e.correlation != 0) issued.try_emplace(e.correlation, e.start_ns);
    }
    for (std::size_t i = 0; i < events.size(); ++i) {
      stop();
      const Event& e = events[i];
      if (!trace::is_gpu_work(e.kind)) continue;
      const trace::LaneInfo& lane = lanes[e.lane];
      const auto call = issued.find(e.correlation);
      GpuOp op{0, e.end_ns, call == issued.end() ? std::numeric_limits<Nanoseconds>::min() : call->second};
      anywhere_.add(op);
      op.key = device_key(lane.device);
      by_device_.add(op);
      op.key = stream_key(lane.device, lane.stream);
      by_stream_.add(op);
      if (e.correlation != 0) op_of_.try_emplace(e.correlation, i);
    }
    for (OpIndex* index : {&anywhere_, &by_device_, &by_stream_}) index->sort(stop);
  }

  void infer(Event& call) {
    const CallNature nature = nature_of(call.name);
    const auto found = call.correlation != 0 ? op_of_.find(call.correlation) : op_of_.end();
    const Event* op = found == op_of_.end() ? nullptr : &events_[found->second];
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
    const auto found = syncs_.find(call.correlation);
    const SyncRecord* record = call.correlation == 0 || found == syncs_.end() ? nullptr : &found->second;
    std::optional<Nanoseconds> until;
    if (record && record->device >= 0 && record->stream >= 0) {
      until = by_stream_.last_end(stream_key(record->device, record->stream), call.start_ns, call.end_ns);
    } else if (record && record->device >= 0) {
      until = by_device_.last_end(device_key(record->device), call.start_ns, call.end_ns);
    } else {
      until = anywhere_.last_end(0, call.start_ns, call.end_ns);
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
    if (!to_host && !from_host) return;  // between devices the host does not wait
    const bool to_pageable = to_host && traits.destination == trace::MemoryKind::Pageable;
    const bool from_pageable = from_host && traits.source == trace::MemoryKind::Pageable;
    const bool staged = from_pageable && trace::bytes_of(*copy) > kInlineCopyBytes;
    if (!asynchronous || to_pageable) call.flags |= trace::kSyncFlag;
    if (asynchronous && !to_pageable && !staged) return;

    const Nanoseconds begin = std::clamp(copy->start_ns, call.start_ns, std::max(call.start_ns, call.end_ns));
    const Nanoseconds end = std::clamp(copy->end_ns, begin, std::max(begin, call.end_ns));
    if (begin >= end) return;  // it moved its bytes after the call was back
    const trace::LaneInfo& lane = lanes_[copy->lane];
    const auto waited = by_stream_.last_end(stream_key(lane.device, lane.stream), call.start_ns, begin);
    // Own cost is what is not waiting; a part of it may lie between the wait and the copy, and stands before both.
    trace::CallParts parts;
    parts.own = waited ? begin - *waited : begin - call.start_ns;
    parts.copying = end - begin;
    parts.returning = call.end_ns - end;
    trace::set_parts(call, parts);
  }

  const EventStore& events_;
  std::span<const trace::LaneInfo> lanes_;
  const base::NameTable& names_;
  std::unordered_map<std::uint32_t, SyncRecord> syncs_;
  std::unordered_map<std::uint32_t, std::size_t> op_of_;  // by correlation: the first in the file
  std::unordered_map<base::NameId, CallNature> natures_;
  OpIndex anywhere_, by_device_, by_stream_;
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
