#include "cuda_backend/mean_slots.h"

#include <bit>
#include <exception>

namespace lanescope::cuda_backend {

MeanSlots& MeanSlots::of_process() {
  static MeanSlots slots;
  return slots;
}

unsigned MeanSlots::slot_of(int gpu, device::cuda::StreamHandle stream) noexcept try {
  const std::lock_guard lock(mutex_);
  if (const auto known = slots_.find({gpu, stream}); known != slots_.end()) return known->second;
  std::uint64_t& used = used_[gpu];
  const auto free = static_cast<unsigned>(std::countr_one(used));
  if (free >= kMeanSlots) return kNoMeanSlot;
  slots_.emplace(std::pair{gpu, stream}, free);
  used |= std::uint64_t{1} << free;
  return free;
} catch (const std::exception&) {
  return kNoMeanSlot;
}

bool MeanSlots::has_slot(int gpu, device::cuda::StreamHandle stream) noexcept {
  const std::lock_guard lock(mutex_);
  return slots_.contains({gpu, stream});
}

void MeanSlots::release(int gpu, device::cuda::StreamHandle stream) noexcept {
  const std::lock_guard lock(mutex_);
  const auto known = slots_.find({gpu, stream});
  if (known == slots_.end()) return;
  used_[gpu] &= ~(std::uint64_t{1} << known->second);
  slots_.erase(known);
}

void MeanSlots::release_all(int gpu) noexcept {
  const std::lock_guard lock(mutex_);
  std::erase_if(slots_, [gpu](const auto& entry) { return entry.first.first == gpu; });
  used_.erase(gpu);
}

}  // namespace lanescope::cuda_backend
