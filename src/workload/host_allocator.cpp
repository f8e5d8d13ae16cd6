#include "workload/host_allocator.h"

#include <algorithm>
#include <bit>

namespace lanescope::workload {

device::Buffer CachingHostAllocator::allocate(std::size_t bytes) {
  process_events();
  const std::size_t rounded = std::bit_ceil(bytes);
  if (std::vector<device::Buffer>& fitting = free_[rounded]; !fitting.empty()) {
    const device::Buffer block = fitting.back();
    fitting.pop_back();
    return block;
  }
  const device::Buffer block = device_.allocate(trace::MemoryKind::Pinned, rounded);
  blocks_[block].bytes = rounded;
  return block;
}

void CachingHostAllocator::record_stream(device::Buffer block, device::Stream stream) {
  std::vector<device::Stream>& streams = blocks_.at(block).streams;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

void CachingHostAllocator::free(device::Buffer buffer) {
  Block& block = blocks_.at(buffer);
  if (block.streams.empty()) {
    free_[block.bytes].push_back(buffer);
    return;
  }
  for (const device::Stream stream : block.streams) {
    const device::GpuEvent event = take_event();
    device_.record(event, stream);
    pending_.push_back({event, buffer});
    ++block.events_outstanding;
  }
  block.streams.clear();
}

void CachingHostAllocator::process_events() {
  while (!pending_.empty() && device_.query(pending_.front().event)) {
    const PendingFree done = pending_.front();
    pending_.pop_front();
    idle_events_.push_back(done.event);
    Block& block = blocks_.at(done.block);
    if (--block.events_outstanding == 0) free_[block.bytes].push_back(done.block);
  }
}

device::GpuEvent CachingHostAllocator::take_event() {
  if (idle_events_.empty()) return device_.create_event();
  const device::GpuEvent event = idle_events_.back();
  idle_events_.pop_back();
  return event;
}

}  // namespace lanescope::workload
