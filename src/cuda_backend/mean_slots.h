// Assigns slots of device memory to streams, for means and sums over many blocks (reductions.cuh). Kernels that run
// concurrently must not share a slot. Thread-safe.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "device/cuda/api.h"

namespace lanescope::cuda_backend {

inline constexpr unsigned kMeanSlots = 64;           ///< per GPU
inline constexpr unsigned kNoMeanSlot = kMeanSlots;  ///< a single block computes the mean or sum

class MeanSlots {
 public:
  /// The process-wide instance, because slots belong to a GPU, not to one of its users.
  static MeanSlots& of_process();

  /// The stream's slot, newly assigned if it has none; kNoMeanSlot if no slot is free.
  unsigned slot_of(int gpu, device::cuda::StreamHandle stream) noexcept;
  bool has_slot(int gpu, device::cuda::StreamHandle stream) noexcept;
  /// Call when the stream is idle and will not be used again.
  void release(int gpu, device::cuda::StreamHandle stream) noexcept;
  /// Call after the GPU was reset.
  void release_all(int gpu) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::pair<int, device::cuda::StreamHandle>, unsigned> slots_;
  std::map<int, std::uint64_t> used_;  // one bit per slot
  static_assert(kMeanSlots == 64);
};

}  // namespace lanescope::cuda_backend
