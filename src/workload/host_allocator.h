// Pinned host memory as PyTorch's caching host allocator hands it out.
#pragma once

#include <cstddef>
#include <deque>
#include <map>
#include <vector>

#include "device/device.h"

namespace lanescope::workload {

/// Sizes are rounded up to a power of two and blocks are never split. A freed block that a non-blocking copy has used
/// is handed out again only when the copies before its release are done: an event is recorded per stream at the
/// release, and queried, oldest first, at later allocations.
class CachingHostAllocator {
 public:
  explicit CachingHostAllocator(device::Device& device) : device_(device) {}

  device::Buffer allocate(std::size_t bytes);
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

  void process_events();
  device::GpuEvent take_event();

  device::Device& device_;
  std::map<device::Buffer, Block> blocks_;
  std::map<std::size_t, std::vector<device::Buffer>> free_;  // by size
  std::deque<PendingFree> pending_;                          // oldest first
  std::vector<device::GpuEvent> idle_events_;
};

}  // namespace lanescope::workload
