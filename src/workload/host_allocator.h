// Pinned host memory as PyTorch's caching host allocator hands it out (aten/src/ATen/core/CachingHostAllocator.h).
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

/// Sizes are rounded up to a power of two and blocks are never split. A freed block that a non-blocking copy has used
/// is handed out again only when the copies before its release are done: an event is recorded per stream at the
/// release, and queried, oldest first, at later allocations.
///
/// Any thread may allocate: the calls that it takes (cudaEventQuery, and cudaHostAlloc when no block is free) are made
/// by that thread, and no lock is held meanwhile, so that one thread's cudaHostAlloc does not hold up another. The rest
/// is for the program's thread.
class CachingHostAllocator {
 public:
  explicit CachingHostAllocator(device::Device& device) : device_(device) {}

  device::Buffer allocate(std::size_t bytes);
  /// On a host thread that has begun a task.
  device::Buffer allocate(std::size_t bytes, device::HostThreadCalls& calls);
  /// A non-blocking copy on `stream` reads or writes the block.
  void record_stream(device::Buffer block, device::Stream stream);
  void free(device::Buffer block);

 private:
  struct Block {
    std::size_t bytes = 0;
    std::vector<device::Stream> streams;  // of non-blocking copies since it was handed out
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
  std::mutex mutex_;  // guards all below
  std::map<device::Buffer, Block> blocks_;
  std::map<std::size_t, std::vector<device::Buffer>> free_;  // by size
  std::deque<PendingFree> pending_;                          // oldest first
  std::vector<device::GpuEvent> idle_events_;
};

}  // namespace lanescope::workload
