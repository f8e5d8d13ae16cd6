// A caching allocator with the rules, numbers and names of PyTorch's CUDACachingAllocator
// (c10/cuda/CUDACachingAllocator.cpp), so that a loop in its steady state makes no cudaMalloc calls.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <unordered_map>
#include <vector>

#include "device/buffer_table.h"
#include "device/cuda/api.h"

namespace lanescope::device::cuda {

// --- buffers ---------------------------------------------------------------------------------------------------------
// The buffers of a CUDA device.

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

// --- device allocator ------------------------------------------------------------------------------------------------

inline constexpr std::size_t kMinBlockSize = 512;                     ///< sizes are rounded up to a multiple of this
inline constexpr std::size_t kSmallSize = std::size_t{1} << 20;       ///< the largest "small" request
inline constexpr std::size_t kSmallBuffer = std::size_t{2} << 20;     ///< segment size for small requests
inline constexpr std::size_t kLargeBuffer = std::size_t{20} << 20;    ///< segment size for medium requests
inline constexpr std::size_t kMinLargeAlloc = std::size_t{10} << 20;  ///< from this size on, one segment per request,
inline constexpr std::size_t kRoundLarge = std::size_t{2} << 20;      ///< rounded up to a multiple of this

/// Best fit. A block is split if the remainder is worth keeping, and merges with its free neighbours when it is freed.
/// Not stream-aware: the device orders reuse. Not thread-safe.
class CachingDeviceAllocator {
 public:
  using Malloc = std::function<Status(void** out, std::size_t bytes)>;
  using Free = std::function<Status(void* device)>;

  CachingDeviceAllocator(Malloc malloc, Free free);
  CachingDeviceAllocator(const CachingDeviceAllocator&) = delete;
  CachingDeviceAllocator& operator=(const CachingDeviceAllocator&) = delete;
  ~CachingDeviceAllocator();  ///< frees nothing: see release_all()

  struct Allocation {
    void* data = nullptr;      ///< null: out of memory, even after emptying the cache
    Status status = kSuccess;  ///< what the last cudaMalloc returned
  };
  Allocation allocate(std::size_t bytes);
  void free(void* data);
  /// Returns completely free segments to CUDA. Returns the first error.
  Status empty_cache();
  /// Returns all segments to CUDA, used or not. Returns the first error.
  Status release_all();

  std::size_t allocated_bytes() const { return allocated_; }  ///< in use, rounded up
  std::size_t reserved_bytes() const { return reserved_; }    ///< obtained from CUDA

 private:
  struct Block {
    std::byte* data = nullptr;
    std::size_t size = 0;
    bool small = false;
    bool allocated = false;
    Block* before = nullptr;  // neighbours in the same segment
    Block* after = nullptr;
  };
  struct BySize {
    bool operator()(const Block* a, const Block* b) const {
      return a->size != b->size ? a->size < b->size : std::less<>()(a->data, b->data);
    }
  };
  using Pool = std::set<Block*, BySize>;

  Pool& pool(bool small) { return small ? small_ : large_; }
  Block* take_free(std::size_t size, bool small);
  Block* new_segment(std::size_t size, bool small, Status& status);
  void split(Block& block, std::size_t size);
  void absorb(Block& block, Block& neighbour);
  Block* add(std::byte* data, std::size_t size, bool small);

  Malloc malloc_;
  Free free_;
  std::unordered_map<void*, std::unique_ptr<Block>> blocks_;  // all blocks, by address
  Pool small_, large_;                                        // free blocks
  std::size_t allocated_ = 0, reserved_ = 0;
};

/// Pageable memory of the host: zeroed, or nullptr if there is none.
std::byte* new_pageable(std::size_t bytes);
/// Exactly what new_pageable() gave.
void free_pageable(std::byte* data, std::size_t bytes);

}  // namespace lanescope::device::cuda
