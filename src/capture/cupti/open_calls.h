// The open calls, per thread, among those that may block. CUPTI's callbacks write them at each call's start and end;
// any thread may read them.
#pragma once

#include <cupti.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace lanescope::capture::cupti {

/// The watched calls.
std::span<const CUpti_CallbackId> watched_runtime_calls();
std::span<const CUpti_CallbackId> watched_driver_calls();

/// Times are CLOCK_MONOTONIC. A thread has at most one open call: a driver call inside a runtime call (same
/// correlation) belongs to the runtime call.
class OpenCalls {
 public:
  static constexpr std::int64_t kNever = std::numeric_limits<std::int64_t>::max();

  struct Call {
    std::uint32_t thread = 0;
    CUpti_CallbackDomain domain = CUPTI_CB_DOMAIN_INVALID;
    CUpti_CallbackId id = 0;
    std::uint32_t correlation = 0;
    std::int64_t start_ns = 0;
  };

  // For callbacks, on the call's own thread: never blocks, no allocation.
  void enter(std::uint32_t thread, CUpti_CallbackDomain domain, CUpti_CallbackId id,
             std::uint32_t correlation) noexcept;
  void exit(std::uint32_t thread, CUpti_CallbackDomain domain, CUpti_CallbackId id, std::uint32_t correlation) noexcept;

  /// The open calls, oldest first.
  std::vector<Call> open() const;
  /// The time before which every watched call that began has ended, long enough before `asked_ns` for its record to be
  /// delivered by a flush that began then. `before` is the asked_ns of the previous call.
  std::int64_t all_ended_until(std::int64_t asked_ns, std::int64_t before) const;
  /// Drops calls that have been open for `age_ns` and whose thread no longer exists.
  void forget_dead_threads(std::int64_t age_ns = 1'000'000'000);
  /// Call between two sessions.
  void clear();

 private:
  static constexpr std::size_t kSlots = 256, kWindow = 16;
  // `version` is odd during a write. It also serves as a lock between a thread and one that takes over its slot.
  struct alignas(64) Slot {
    std::atomic<std::uint32_t> version{0};
    std::atomic<std::uint32_t> thread{0};  // 0: none
    std::atomic<std::uint32_t> domain{0}, id{0}, correlation{0};
    std::atomic<std::int64_t> start_ns{0}, end_ns{1};  // end 0: the call is open
  };
  struct Reading {
    Call call;
    std::int64_t end_ns = 0;
    bool steady = false;  // false: the slot was being written throughout
  };
  static bool lock(Slot& slot) noexcept;
  static void unlock(Slot& slot) noexcept;
  static Reading read(const Slot& slot) noexcept;
  Slot& in_window(std::uint32_t thread, std::size_t i) noexcept {
    return slots_[(thread * 0x9E3779B1u / 64 + i) % kSlots];
  }

  std::array<Slot, kSlots> slots_;
};

}  // namespace lanescope::capture::cupti
