// What the handles of a CUDA device's buffers stand for.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "device/device.h"

namespace lanescope::device::cuda {

class Buffers {
 public:
  struct Slot {
    std::byte* data = nullptr;
    std::size_t bytes = 0;
    MemoryKind kind = MemoryKind::Unknown;
    bool live = false;
    std::uint32_t generation = 0;
    std::uint64_t zeroed = 0;                 ///< Device: number of the memset that zeroes it on the default stream
    std::vector<std::uint32_t> side_streams;  ///< Device: non-blocking streams that have used it
  };

  Buffer add(MemoryKind kind, std::byte* data, std::size_t bytes);
  void remove(Buffer buffer);

  // `call` begins the message of the base::Error that a wrong handle or slice gets.
  Slot& at(Buffer buffer, std::string_view call);
  Slot& check(const Device::Slice& slice, std::size_t bytes, std::string_view call);

  /// Every live one, as fn(Slot&).
  template <typename Function>
  void for_each(Function fn) {
    for (Slot& slot : slots_) {
      if (slot.live) fn(slot);
    }
  }

 private:
  // A handle is generation | index + 1, so that a released buffer is known even when its slot is used again.
  static constexpr unsigned kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;
  static std::uint32_t index_of(Buffer buffer) { return (static_cast<std::uint32_t>(buffer) & kIndexMask) - 1; }

  std::vector<Slot> slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace lanescope::device::cuda
