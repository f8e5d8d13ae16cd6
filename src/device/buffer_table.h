// What the handles of a device's buffers stand for: checked at every use, since a workload's mistake must be named.
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

/// What every device knows of a buffer; a device's own slot adds to it.
struct BufferSlot {
  std::size_t bytes = 0;
  MemoryKind kind = MemoryKind::Unknown;
  bool live = false;
  std::uint32_t generation = 0;
};

/// The table of a device that one thread calls.
struct NoMutex {
  void lock() {}
  void unlock() {}
};

/// `Slot` is a BufferSlot. `call` begins the message of the base::Error that a wrong handle or slice gets. With a real
/// mutex, and slots that keep their addresses, any thread may add and look up; a slot belongs to who has its handle.
template <typename Slot, typename Slots = std::vector<Slot>, typename Mutex = NoMutex>
class BufferTable {
 public:
  /// The slot is the one of a new buffer; what the device adds to it may be that of a released one.
  Buffer add(MemoryKind kind, std::size_t bytes) {
    using base::tr;
    const std::lock_guard lock(mutex_);
    std::uint32_t index = 0;
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
    slot.bytes = bytes;
    return static_cast<Buffer>(slot.generation << kIndexBits | (index + 1));
  }

  void remove(Buffer buffer) {
    const std::lock_guard lock(mutex_);
    Slot& slot = slots_[index_of(buffer)];
    slot.live = false;
    ++slot.generation;
    free_slots_.push_back(index_of(buffer));
  }

  /// Of a handle that has been checked.
  Slot& known(Buffer buffer) { return const_cast<Slot&>(std::as_const(*this).known(buffer)); }
  const Slot& known(Buffer buffer) const {
    const std::lock_guard lock(mutex_);
    return slots_[index_of(buffer)];
  }

  const Slot& at(Buffer buffer, std::string_view call) const {
    using base::tr;
    const auto handle = static_cast<std::uint32_t>(buffer);
    const std::uint32_t index = index_of(buffer);
    const std::lock_guard lock(mutex_);
    if (index >= slots_.size()) {
      throw base::Error(fmt::format(fmt::runtime(tr("{}: buffer {} was never allocated")), call, handle));
    }
    const Slot& slot = slots_[index];
    if (!slot.live || (slot.generation << kIndexBits) != (handle & ~kIndexMask)) {
      throw base::Error(fmt::format(fmt::runtime(tr("{}: buffer {} was released before")), call, handle));
    }
    return slot;
  }
  Slot& at(Buffer buffer, std::string_view call) { return const_cast<Slot&>(std::as_const(*this).at(buffer, call)); }

  /// The slice lies in its buffer.
  const Slot& check(const Device::Slice& slice, std::size_t bytes, std::string_view call) const {
    using base::tr;
    const Slot& slot = at(slice.buffer, call);
    if (slice.offset > slot.bytes || bytes > slot.bytes - slice.offset) {
      throw base::Error(fmt::format(fmt::runtime(tr("{}: {} bytes at offset {} do not fit in a buffer of {} bytes")),
                                    call, bytes, slice.offset, slot.bytes));
    }
    return slot;
  }
  Slot& check(const Device::Slice& slice, std::size_t bytes, std::string_view call) {
    return const_cast<Slot&>(std::as_const(*this).check(slice, bytes, call));
  }

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

  mutable Mutex mutex_;
  Slots slots_;
  std::vector<std::uint32_t> free_slots_;
};

}  // namespace lanescope::device
