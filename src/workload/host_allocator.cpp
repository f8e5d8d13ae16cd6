#include "workload/host_allocator.h"

#include <algorithm>
#include <bit>

namespace lanescope::workload {
namespace {

/// Calls made on the program's main thread.
class MainCalls final : public device::HostThreadCalls {
 public:
  explicit MainCalls(device::Device& device) : device_(device) {}
  bool query(device::GpuEvent event) override { return device_.query(event); }
  device::Buffer allocate_pinned(std::size_t bytes) override {
    return device_.allocate(trace::MemoryKind::Pinned, bytes);
  }

 private:
  device::Device& device_;
};

}  // namespace

device::Buffer CachingHostAllocator::allocate(std::size_t bytes) {
  MainCalls calls(device_);
  return allocate(bytes, calls);
}

device::Buffer CachingHostAllocator::allocate(std::size_t bytes, device::HostThreadCalls& calls) {
  const std::size_t rounded = std::bit_ceil(bytes);
  std::unique_lock lock(mutex_);
  if (!pending_.empty()) {
    lock.unlock();
    process_events(calls);
    lock.lock();
  }
  if (std::vector<device::Buffer>& fitting = free_[rounded]; !fitting.empty()) {
    const device::Buffer block = fitting.back();
    fitting.pop_back();
    return block;
  }
  lock.unlock();
  const device::Buffer block = calls.allocate_pinned(rounded);
  lock.lock();
  blocks_[block].bytes = rounded;
  return block;
}

void CachingHostAllocator::record_stream(device::Buffer block, device::Stream stream) {
  const std::lock_guard lock(mutex_);
  std::vector<device::Stream>& streams = blocks_.at(block).streams;
  if (std::find(streams.begin(), streams.end(), stream) == streams.end()) streams.push_back(stream);
}

void CachingHostAllocator::free(device::Buffer buffer) {
  std::vector<device::Stream> streams;
  {
    const std::lock_guard lock(mutex_);
    Block& block = blocks_.at(buffer);
    streams.swap(block.streams);
    if (streams.empty()) {
      free_[block.bytes].push_back(buffer);
      return;
    }
    block.events_outstanding += static_cast<int>(streams.size());
  }
  for (const device::Stream stream : streams) {
    const device::GpuEvent event = take_event();
    device_.record(event, stream);
    const std::lock_guard lock(mutex_);
    pending_.push_back({event, buffer});
  }
}

// The block is removed while its event is queried, so that no other thread queries it, too.
std::optional<CachingHostAllocator::PendingFree> CachingHostAllocator::oldest_pending() {
  const std::lock_guard lock(mutex_);
  if (pending_.empty()) return std::nullopt;
  const PendingFree oldest = pending_.front();
  pending_.pop_front();
  return oldest;
}

void CachingHostAllocator::process_events(device::HostThreadCalls& calls) {
  while (const std::optional<PendingFree> oldest = oldest_pending()) {
    const bool done = calls.query(oldest->event);
    const std::lock_guard lock(mutex_);
    if (!done) {
      pending_.push_front(*oldest);
      return;
    }
    idle_events_.push_back(oldest->event);
    Block& block = blocks_.at(oldest->block);
    if (--block.events_outstanding == 0) free_[block.bytes].push_back(oldest->block);
  }
}

device::GpuEvent CachingHostAllocator::take_event() {
  {
    const std::lock_guard lock(mutex_);
    if (!idle_events_.empty()) {
      const device::GpuEvent event = idle_events_.back();
      idle_events_.pop_back();
      return event;
    }
  }
  return device_.create_event();
}

}  // namespace lanescope::workload
