// Resolves buffer handles. Every use is checked, because a workload's mistake needs a clear error message.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

#include "base/translate.h"
#include "device/device.h"

namespace lanescope::device {

/// What all devices know about a buffer; a device derives its own slot from it.
struct BufferSlot {
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::Unknown;
  std::uint32_t generation = 0;
  std::uint32_t handle = 0;  ///< of the live buffer; 0: none
};

/// For a table that only one thread uses.
struct NoMutex {
  void lock() {}
  void unlock() {}
};

/// `Slot` is derived from BufferSlot. `call` is the prefix of the base::Error thrown for an invalid handle or slice.
/// With a real mutex and a `Slots` container that keeps addresses stable, any thread may add and look up; a slot
/// belongs to the holder of its handle.
template <typename Slot, typename Slots = std::vector<Slot>, typename Mutex = NoMutex>
class BufferTable {
 public:
  /// Returns the slot of a new buffer. The device's own fields may be left over from a released buffer.
  Buffer add(MemoryKind kind, std::size_t bytes) {
    using base::tr;
    const std::lock_guard lock(mutex_);
    std::uint32_t index = 0;
    if (free_slots_.empty()) {
      if (slots_.size() >= kIndexMask) {
        throw base::Error(tr("more than {} buffers are allocated", kIndexMask));
      }
      index = static_cast<std::uint32_t>(slots_.size());
      slots_.emplace_back();
    } else {
      index = free_slots_.back();
      free_slots_.pop_back();
    }
    Slot& slot = slots_[index];
    slot.kind = kind;
    slot.bytes = bytes;
    slot.handle = slot.generation << kIndexBits | (index + 1);
    return static_cast<Buffer>(slot.handle);
  }

  void remove(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[index_of(buffer)];
    slot.handle = 0;
    ++slot.generation;
    free_slots_.push_back(index_of(buffer));
  }

  /// Looks up a handle that has already been checked.
  Slot& known(Buffer buffer) { return const_cast<Slot&>(std::as_const(*this).known(buffer)); }
  const Slot& known(Buffer buffer) const {
    const std::lock_guard lock(mutex_);
    return slots_[index_of(buffer)];
  }

  const Slot& at(Buffer buffer, std::string_view call) const {
    const auto handle = static_cast<std::uint32_t>(buffer);
    const std::uint32_t index = index_of(buffer);
    const std::lock_guard lock(mutex_);
    if (index >= slots_.size()) [[unlikely]]
      refuse_unknown(call, handle);
    const Slot& slot = slots_[index];
    if (slot.handle != handle) [[unlikely]]
      refuse_released(call, handle);
    return slot;
  }
  Slot& at(Buffer buffer, std::string_view call) { return const_cast<Slot&>(std::as_const(*this).at(buffer, call)); }

  /// Throws base::Error unless the slice lies within its buffer.
  const Slot& check(const Device::Slice& slice, std::size_t bytes, std::string_view call) const {
    using base::tr;
    const Slot& slot = at(slice.buffer, call);
    if (slice.offset > slot.bytes || bytes > slot.bytes - slice.offset) {
      throw base::Error(
          tr("{}: {} bytes at offset {} do not fit in a buffer of {} bytes", call, bytes, slice.offset, slot.bytes));
    }
    return slot;
  }
  Slot& check(const Device::Slice& slice, std::size_t bytes, std::string_view call) {
    return const_cast<Slot&>(std::as_const(*this).check(slice, bytes, call));
  }

  /// Calls fn(Slot&) for every live buffer.
  template <typename Function>
  void for_each(Function fn) {
    for (Slot& slot : slots_) {
      if (slot.handle != 0) fn(slot);
    }
  }

 private:
  // A handle combines the generation and index + 1, so that a released buffer is recognised even if its slot is reused.
  static constexpr unsigned kIndexBits = 20;
  static constexpr std::uint32_t kIndexMask = (1u << kIndexBits) - 1;
  static std::uint32_t index_of(Buffer buffer) { return (static_cast<std::uint32_t>(buffer) & kIndexMask) - 1; }

  // Apart from the checks, which every use of a buffer passes.
  [[noreturn, gnu::noinline]] static void refuse_unknown(std::string_view call, std::uint32_t handle) {
    throw base::Error(base::tr("{}: buffer {} was never allocated", call, handle));
  }
  [[noreturn, gnu::noinline]] static void refuse_released(std::string_view call, std::uint32_t handle) {
    throw base::Error(base::tr("{}: buffer {} was released before", call, handle));
  }

  mutable Mutex mutex_;
  Slots slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace lanescope::device
