// Which stream uses which slot of device memory for a mean or a sum over many blocks (reductions.cuh): those that run
// at the same time must not share one.
#pragma once

#include <cstdint>
#include <map>
#include <mutex>
#include <utility>

#include "device/cuda/api.h"

namespace lanescope::cuda_backend {

inline constexpr unsigned kMeanSlots = 64;           ///< of each GPU
inline constexpr unsigned kNoMeanSlot = kMeanSlots;  ///< the mean or sum is computed by one block

class MeanSlots {
 public:
  /// The process's: slots belong to a GPU, not to one of its users.
  static MeanSlots& of_process();

  /// The stream's slot, a free one if it has none; kNoMeanSlot if none is free.
  unsigned slot_of(int gpu, device::cuda::StreamHandle stream) noexcept;
  bool has_slot(int gpu, device::cuda::StreamHandle stream) noexcept;
  /// The stream is idle and will not be used again.
  void release(int gpu, device::cuda::StreamHandle stream) noexcept;
  /// The GPU was reset.
  void release_all(int gpu) noexcept;

 private:
  std::mutex mutex_;
  std::map<std::pair<int, device::cuda::StreamHandle>, unsigned> slots_;
  std::map<int, std::uint64_t> used_;  // a bit per slot
  static_assert(kMeanSlots == 64);
};

}  // namespace lanescope::cuda_backend
