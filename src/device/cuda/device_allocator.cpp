#include "device/cuda/device_allocator.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <new>
#include <utility>

#include "base/platform/system.h"
#include "device/cuda/api.h"

namespace lanescope::device::cuda {
namespace {

std::size_t round_up(std::size_t bytes, std::size_t unit) { return (bytes + unit - 1) / unit * unit; }

std::size_t segment_size(std::size_t size) {
  if (size <= kSmallSize) return kSmallBuffer;
  if (size < kMinLargeAlloc) return kLargeBuffer;
  return round_up(size, kRoundLarge);
}

bool should_split(std::size_t block, std::size_t size, bool small) {
  const std::size_t remaining = block - size;
  return small ? remaining >= kMinBlockSize : remaining > kSmallSize;
}

}  // namespace

CachingDeviceAllocator::CachingDeviceAllocator(Malloc malloc, Free free)
    : malloc_(std::move(malloc)), free_(std::move(free)) {}

CachingDeviceAllocator::~CachingDeviceAllocator() = default;

CachingDeviceAllocator::Block* CachingDeviceAllocator::add(std::byte* data, std::size_t size, bool small) {
  auto block = std::make_unique<Block>();
  block->data = data;
  block->size = size;
  block->small = small;
  Block* added = block.get();
  blocks_[data] = std::move(block);
  return added;
}

CachingDeviceAllocator::Block* CachingDeviceAllocator::take_free(std::size_t size, bool small) {
  Block wanted;
  wanted.size = size;  // ordered by size, then address, so this finds the smallest block that is large enough
  Pool& free = pool(small);
  const auto found = free.lower_bound(&wanted);
  if (found == free.end()) return nullptr;
  Block* block = *found;
  free.erase(found);
  return block;
}

CachingDeviceAllocator::Block* CachingDeviceAllocator::new_segment(std::size_t size, bool small, Status& status) {
  void* data = nullptr;
  status = malloc_(&data, segment_size(size));
  if (status != kSuccess) return nullptr;
  reserved_ += segment_size(size);
  return add(static_cast<std::byte*>(data), segment_size(size), small);
}

void CachingDeviceAllocator::split(Block& block, std::size_t size) {
  Block* rest = add(block.data + size, block.size - size, block.small);
  rest->before = &block;
  rest->after = block.after;
  if (rest->after != nullptr) rest->after->before = rest;
  block.after = rest;
  block.size = size;
  pool(block.small).insert(rest);
}

CachingDeviceAllocator::Allocation CachingDeviceAllocator::allocate(std::size_t bytes) {
  if (bytes > SIZE_MAX - kLargeBuffer) return {nullptr, kOutOfMemory};
  const std::size_t size = round_up(std::max<std::size_t>(bytes, 1), kMinBlockSize);
  const bool small = size <= kSmallSize;
  Status status = kSuccess;
  Block* block = take_free(size, small);
  if (block == nullptr) block = new_segment(size, small, status);
  if (block == nullptr && status == kOutOfMemory) {
    const Status emptied = empty_cache();
    if (emptied != kSuccess) return {nullptr, emptied};
    block = new_segment(size, small, status);
  }
  if (block == nullptr) return {nullptr, status};
  if (should_split(block->size, size, small)) split(*block, size);
  block->allocated = true;
  allocated_ += block->size;
  return {block->data, kSuccess};
}

// `neighbour` is free and directly follows `block`.
void CachingDeviceAllocator::absorb(Block& block, Block& neighbour) {
  block.size += neighbour.size;
  block.after = neighbour.after;
  if (block.after != nullptr) block.after->before = &block;
  blocks_.erase(neighbour.data);
}

void CachingDeviceAllocator::free(void* data) {
  Block* block = blocks_.at(data).get();
  block->allocated = false;
  allocated_ -= block->size;
  Pool& free = pool(block->small);
  if (Block* after = block->after; after != nullptr && !after->allocated) {
    free.erase(after);
    absorb(*block, *after);
  }
  if (Block* before = block->before; before != nullptr && !before->allocated) {
    free.erase(before);  // the pool is ordered by size, which changes
    absorb(*before, *block);
    block = before;
  }
  free.insert(block);
}

Status CachingDeviceAllocator::empty_cache() {
  Status first = kSuccess;
  for (Pool* pool : {&small_, &large_}) {
    for (auto it = pool->begin(); it != pool->end();) {
      Block* block = *it;
      if (block->before != nullptr || block->after != nullptr) {
        ++it;
        continue;
      }
      it = pool->erase(it);
      reserved_ -= block->size;
      const Status status = free_(block->data);
      if (first == kSuccess) first = status;
      blocks_.erase(block->data);
    }
  }
  return first;
}

Status CachingDeviceAllocator::release_all() {
  Status first = kSuccess;
  for (const auto& [data, block] : blocks_) {
    if (block->before != nullptr) continue;  // only a segment's first block has the address that cudaMalloc returned
    const Status status = free_(data);
    if (first == kSuccess) first = status;
  }
  blocks_.clear();
  small_.clear();
  large_.clear();
  allocated_ = reserved_ = 0;
  return first;
}

// --- pageable memory -------------------------------------------------------------------------------------------------

namespace {

constexpr std::size_t kHostAlignment = 64;

// Allocations of this size or more are mapped from the system and unmapped again. They are zero and untouched until
// first use, like the memory of a new tensor; most of the cost of copying into one is the first touch.
constexpr std::size_t kMapped = std::size_t{1} << 20;

}  // namespace

std::byte* new_pageable(std::size_t bytes) {
  if (bytes >= kMapped) {
    return base::take_pages(bytes);
  }
  void* data = ::operator new (bytes, std::align_val_t{kHostAlignment}, std::nothrow);
  if (data != nullptr) std::memset(data, 0, bytes);
  return static_cast<std::byte*>(data);
}

void free_pageable(std::byte* data, std::size_t bytes) {
  if (bytes >= kMapped) {
    base::return_pages(data, bytes);
  } else {
    ::operator delete (data, std::align_val_t{kHostAlignment});
  }
}

}  // namespace lanescope::device::cuda
