// Models PyTorch's caching allocator for pinned host memory (aten/src/ATen/core/CachingHostAllocator.h).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

/// Sizes are rounded up to a power of two; blocks are never split. A freed block that a non-blocking copy has used is
/// reused only once the copies before its release are done. To that end, the release records an event per stream, and
/// later allocations query these events, oldest first.
///
/// Any thread may allocate. The allocating thread makes the required calls (cudaEventQuery, and cudaHostAlloc if no
/// block is free) without holding a lock, so that one thread's cudaHostAlloc does not block another thread. All other
/// functions are for the program's main thread.
class CachingHostAllocator {
 public:
  explicit CachingHostAllocator(device::Device& device) : device_(device) {}

  device::Buffer allocate(std::size_t bytes);
  /// For a host thread, after it has begun a task.
  device::Buffer allocate(std::size_t bytes, device::HostThreadCalls& calls);
  /// Records that a non-blocking copy on `stream` reads or writes the block.
  void record_stream(device::Buffer block, device::Stream stream);
  void free(device::Buffer block);

 private:
  struct Block {
    std::size_t bytes = 0;
    std::vector<device::Stream> streams;  // of non-blocking copies since it was allocated
    int events_outstanding = 0;
  };
  struct PendingFree {
    device::GpuEvent event;
    device::Buffer block;
  };

  void process_events(device::HostThreadCalls& calls);
  std::optional<PendingFree> oldest_pending();
  device::GpuEvent take_event();

  device::Device& device_;
  std::mutex mutex_;  // guards everything below
  std::map<device::Buffer, Block> blocks_;
  std::map<std::size_t, std::vector<device::Buffer>> free_;  // by size
  std::deque<PendingFree> pending_;                          // oldest first
  std::vector<device::GpuEvent> idle_events_;
};

}  // namespace lanescope::workload
