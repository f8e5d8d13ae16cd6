// Which GPUs have failed in this process, so that the next device on one of them begins with a reset.
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
  /// It has been reset, and works.
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
