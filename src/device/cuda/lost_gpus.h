// The GPUs that have failed in this process: the next device on one of them starts with a reset. Thread-safe.
#pragma once

#include <mutex>
#include <set>

namespace lanescope::device::cuda {

class LostGpus {
 public:
  void add(int gpu) {
    const std::lock_guard lock(mutex_);
    gpus_.insert(gpu);
  }
  /// Call after the GPU was reset and works again.
  void remove(int gpu) {
    const std::lock_guard lock(mutex_);
    gpus_.erase(gpu);
  }
  bool contains(int gpu) {
    const std::lock_guard lock(mutex_);
    return gpus_.contains(gpu);
  }

 private:
  std::mutex mutex_;
  std::set<int> gpus_;
};

inline LostGpus& lost_gpus() {
  static LostGpus lost;
  return lost;
}

}  // namespace lanescope::device::cuda
