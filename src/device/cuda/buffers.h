// The buffers of a CUDA device.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "device/buffer_table.h"

namespace lanescope::device::cuda {

struct CudaBuffer : BufferSlot {
  std::byte* data = nullptr;
  std::uint64_t zeroed = 0;                 ///< Device: number of the memset that zeroes it on the default stream
  std::vector<std::uint32_t> side_streams;  ///< Device: non-blocking streams that have used it
};

/// Thread-safe, because host threads add the pinned memory they allocate.
class Buffers : public BufferTable<CudaBuffer, std::deque<CudaBuffer>, std::mutex> {
 public:
  using Slot = CudaBuffer;

  Buffer add(MemoryKind kind, std::byte* data, std::size_t bytes) {
    const Buffer buffer = BufferTable::add(kind, bytes);
    Slot& slot = known(buffer);
    slot.data = data;
    slot.zeroed = 0;
    slot.side_streams.clear();
    return buffer;
  }
};

}  // namespace lanescope::device::cuda
