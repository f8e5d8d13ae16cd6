// SimDevice's copies: the behaviour for each combination of call, direction, memory kind and size.
#include <algorithm>

#include "device/sim/sim_device.h"

namespace lanescope::device::sim {

using trace::CopyDirection;
using trace::EventKind;
using trace::LaneKind;

namespace {

constexpr std::uint8_t kBlockingCopy = trace::kLaunchFlag | trace::kSyncFlag;

struct Route {
  CopyDirection direction;
  Engine engine;
  LaneKind lane;
};

Route route_of(MemoryKind from, MemoryKind to) {
  if (from != MemoryKind::Device) return {CopyDirection::HostToDevice, Engine::CopyH2D, LaneKind::CopyH2D};
  if (to != MemoryKind::Device) return {CopyDirection::DeviceToHost, Engine::CopyD2H, LaneKind::CopyD2H};
  // Copies within device memory run on the multiprocessors.
  return {CopyDirection::DeviceToDevice, Engine::Compute, LaneKind::CopyOther};
}

class UploadRule final : public EndRule {
 public:
  UploadRule(const StagedUpload& upload, std::vector<double>& scratch) : upload_(upload), scratch_(scratch) {}
  Nanoseconds end_for(Nanoseconds start) override {
    result_ = upload_.run(start, scratch_);
    return result_.dma_end;
  }
  Nanoseconds host_done() const { return result_.host_done; }

 private:
  const StagedUpload& upload_;
  std::vector<double>& scratch_;
  StagedUpload::Result result_;
};

}  // namespace

void SimDevice::copy_async(Slice to, Slice from, std::size_t bytes, Stream stream) {
  transfer(CudaCall::MemcpyAsync, to, from, bytes, stream, false);
}

void SimDevice::copy(Slice to, Slice from, std::size_t bytes) {
  transfer(CudaCall::Memcpy, to, from, bytes, Stream::Default, true);
}

void SimDevice::transfer(CudaCall api, Slice to, Slice from, std::size_t bytes, Stream stream, bool synchronous) {
  Transfer t;
  t.stream = index_of(stream, api);
  t.to_kind = memory_.check(to, bytes, call_name(api));
  t.from_kind = memory_.check(from, bytes, call_name(api));
  t.to = to;
  t.from = from;
  t.bytes = bytes;
  t.synchronous = synchronous;

  const bool inside_device = t.to_kind == MemoryKind::Device && t.from_kind == MemoryKind::Device;
  const bool upload = t.to_kind == MemoryKind::Device && t.from_kind == MemoryKind::Pageable;
  const bool download = t.from_kind == MemoryKind::Device && t.to_kind == MemoryKind::Pageable;
  const bool inlined = upload && bytes <= costs_.inline_limit;
  // The CPU writes small transfers into the command queue.
  const Nanoseconds own = costs_.memcpy + (inlined ? CostModel::at_rate(bytes, costs_.h2d_pageable(bytes)) : 0);
  const Call call = begin(api, own);
  if (bytes == 0) return end(call, 0);
  if (t.to_kind != MemoryKind::Device && t.from_kind != MemoryKind::Device) return copy_on_host(call, t);
  if (inlined || inside_device) t.synchronous = false;  // neither blocks the host, whichever call is used
  const Nanoseconds waited = wait_for_room(t.stream);
  if (upload && !inlined) return upload_staged(call, t, waited);
  if (download) return download_staged(call, t, waited);
  copy_direct(call, t, waited);
}

Entry SimDevice::copy_operation(const Call& call, const Transfer& t, Nanoseconds duration) {
  const Route route = route_of(t.from_kind, t.to_kind);
  Entry entry = operation(call, route.engine, EventKind::Copy, log_.copy_name(t.from_kind, t.to_kind),
                          log_.lane(t.stream, route.lane), costs_.copy_latency, duration);
  trace::set_bytes(entry.event, t.bytes);
  trace::set_copy_traits(entry.event, {route.direction, t.from_kind, t.to_kind, call.api == CudaCall::MemcpyAsync});
  return entry;
}

Work SimDevice::copy_work(const Transfer& t, Entry& entry, bool captured) {
  Work work;
  entry.has_work = memory_.copies_values(t.to.buffer, t.from.buffer);
  if (!entry.has_work) return work;
  work.kind = Work::Kind::Copy;
  work.to = t.to;
  work.from = t.from;
  work.bytes = t.bytes;
  if (captured) {
    work.kind = Work::Kind::CopyCaptured;
    work.capture = memory_.capture(t.from, t.bytes);
  }
  return work;
}

void SimDevice::copy_on_host(const Call& call, const Transfer& t) {
  const Awaited awaited = await_stream(t.stream);
  trace::CallParts parts;
  parts.own = own_of(call);
  if (awaited.pending) parts.waiting = awaited.end_ns - own_end_ns_;
  parts.copying = jitter_.apply(costs_.host_copy(t.bytes)) + costs_.page_faults(memory_.touch(t.to, t.bytes));
  advance_to(own_end_ns_ + parts.waiting + parts.copying);
  if (memory_.copies_values(t.to.buffer, t.from.buffer)) {
    Work work;
    work.kind = Work::Kind::Copy;
    work.to = t.to;
    work.from = t.from;
    work.bytes = t.bytes;
    memory_.run(work);
  }
  end_blocking(call, parts, trace::kSyncFlag);
}

void SimDevice::copy_direct(const Call& call, const Transfer& t, Nanoseconds waited) {
  const CopyDirection direction = route_of(t.from_kind, t.to_kind).direction;
  const double ns_per_byte = direction == CopyDirection::HostToDevice ? costs_.h2d_pinned : costs_.d2h_pinned;
  const Nanoseconds duration = direction == CopyDirection::DeviceToDevice
                                   ? costs_.copy_on_device(t.bytes)
                                   : costs_.copy_fixed + CostModel::at_rate(t.bytes, ns_per_byte);
  Entry entry = copy_operation(call, t, jitter_.apply_to_gpu(duration));
  const Work work = copy_work(t, entry, t.from_kind == MemoryKind::Pageable);
  const Position position = gpu_.push(t.stream, entry, &work);
  if (direction == CopyDirection::DeviceToHost) keep_host_write(position, t.to, t.bytes);
  if (!t.synchronous) return end_launch(call, waited);
  const Entry& done = gpu_.decide(position);
  end_copied(call, done, done.event.end_ns);
}

void SimDevice::end_copied(const Call& call, const Entry& entry, Nanoseconds done) {
  trace::CallParts parts;
  parts.own = own_of(call);
  parts.waiting = std::max<Nanoseconds>(0, std::max(host_ns_, entry.free_ns) - own_end_ns_);
  parts.copying = done - own_end_ns_ - parts.waiting;
  parts.returning = jitter_.apply(costs_.wake);
  end_blocking(call, parts, kBlockingCopy);
}

StagingRates SimDevice::rates(double host_ns_per_byte, double dma_ns_per_byte) {
  StagingRates r;
  r.host_ns_per_byte = host_ns_per_byte * jitter_.factor();
  r.dma_ns_per_byte = dma_ns_per_byte * jitter_.gpu_factor();
  r.latency = costs_.copy_latency;
  r.fixed = costs_.copy_fixed;
  r.chunk = costs_.staging_chunk;
  r.slots = costs_.staging_slots;
  return r;
}

void SimDevice::upload_staged(const Call& call, const Transfer& t, Nanoseconds waited) {
  trace::CallParts parts;
  parts.own = own_of(call);
  parts.waiting = waited;
  if (t.synchronous) {
    const Awaited awaited = await_stream(t.stream);
    if (awaited.pending) {
      parts.waiting = awaited.end_ns - own_end_ns_;
      advance_to(awaited.end_ns);
    }
  }
  const Nanoseconds begin_staging = host_ns_;
  const StagedUpload upload(rates(costs_.h2d_pageable(t.bytes), costs_.h2d_pinned), t.bytes, begin_staging);
  Entry entry = copy_operation(call, t, upload.dma_duration());
  entry.arrival_ns = upload.arrival();
  Nanoseconds done = upload.filled();
  Nanoseconds stalled = 0;  // all slots full, and the DMA delayed by earlier work
  if (upload.fits()) {
    entry.earliest_end_ns = upload.earliest_end();
    const Work work = copy_work(t, entry, true);
    gpu_.push(t.stream, entry, &work);
  } else {
    // The call returns when the DMA has freed enough slots. All earlier work of the stream has ended by then, and later
    // work cannot have been issued, so the bytes can move now.
    const Work work = copy_work(t, entry, false);
    const bool moves = entry.has_work;
    entry.has_work = false;
    UploadRule rule(upload, scratch_);
    const Entry& decided = gpu_.decide(gpu_.push(t.stream, entry), rule);
    done = rule.host_done();
    stalled = std::clamp<Nanoseconds>(decided.free_ns - upload.filled(), 0, done - upload.filled());
    advance_to(done);
    if (moves) memory_.run(work);
  }
  parts.waiting += stalled;
  parts.copying = done - begin_staging - stalled;
  end_blocking(call, parts, t.synchronous ? kBlockingCopy : trace::kLaunchFlag);
}

void SimDevice::download_staged(const Call& call, const Transfer& t, Nanoseconds /*waited*/) {
  const std::size_t fresh = memory_.touch(t.to, t.bytes);
  const double faults = static_cast<double>(costs_.page_faults(fresh));
  const double host_ns_per_byte = costs_.d2h_pageable + faults / static_cast<double>(t.bytes);
  const StagedDownload download = staged_download(rates(host_ns_per_byte, costs_.d2h_pinned), t.bytes, scratch_);
  Entry entry = copy_operation(call, t, download.dma);
  const Work work = copy_work(t, entry, false);
  const Entry& done = gpu_.decide(gpu_.push(t.stream, entry, &work));
  end_copied(call, done, done.event.start_ns + download.host);
}

}  // namespace lanescope::device::sim
