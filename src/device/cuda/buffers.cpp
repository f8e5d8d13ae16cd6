#include "device/cuda/buffers.h"

#include <fmt/format.h>

#include "base/translate.h"

namespace lanescope::device::cuda {

using base::tr;

Buffer Buffers::add(MemoryKind kind, std::byte* data, std::size_t bytes) {
  std::uint32_t index;
  if (free_slots_.empty()) {
    if (slots_.size() >= kIndexMask) {
      throw base::Error(fmt::format(fmt::runtime(tr("more than {} buffers are allocated")), kIndexMask));
    }
    index = static_cast<std::uint32_t>(slots_.size());
    slots_.emplace_back();
  } else {
    index = free_slots_.back();
    free_slots_.pop_back();
  }
  Slot& slot = slots_[index];
  slot.kind = kind;
  slot.live = true;
  slot.data = data;
  slot.bytes = bytes;
  slot.zeroed = 0;
  slot.side_streams.clear();
  return static_cast<Buffer>(slot.generation << kIndexBits | (index + 1));
}

void Buffers::remove(Buffer buffer) {
  Slot& slot = slots_[index_of(buffer)];
  slot.live = false;
  ++slot.generation;
  free_slots_.push_back(index_of(buffer));
}

Buffers::Slot& Buffers::at(Buffer buffer, std::string_view call) {
  const auto handle = static_cast<std::uint32_t>(buffer);
  const std::uint32_t index = index_of(buffer);
  if (index >= slots_.size()) {
    throw base::Error(fmt::format(fmt::runtime(tr("{}: buffer {} was never allocated")), call, handle));
  }
  Slot& slot = slots_[index];
  if (!slot.live || (slot.generation << kIndexBits) != (handle & ~kIndexMask)) {
    throw base::Error(fmt::format(fmt::runtime(tr("{}: buffer {} was released before")), call, handle));
  }
  return slot;
}

Buffers::Slot& Buffers::check(const Device::Slice& slice, std::size_t bytes, std::string_view call) {
  Slot& slot = at(slice.buffer, call);
  if (slice.offset > slot.bytes || bytes > slot.bytes - slice.offset) {
    throw base::Error(fmt::format(fmt::runtime(tr("{}: {} bytes at offset {} do not fit in a buffer of {} bytes")),
                                  call, bytes, slice.offset, slot.bytes));
  }
  return slot;
}

}  // namespace lanescope::device::cuda
