// The threads among which large matrix products are divided, as PyTorch divides them among the CPU's cores.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

namespace lanescope::device::cpu {

class Team {
 public:
  /// As many threads as the process may use cores, the calling one included. Started at the first use.
  static Team& of_process();

  explicit Team(int size);
  ~Team();
  Team(const Team&) = delete;
  Team& operator=(const Team&) = delete;

  int size() const { return static_cast<int>(threads_.size()) + 1; }
  /// Calls work(0) on this thread and work(1) to work(parts - 1) on others, and returns when all have returned; they
  /// must not throw. `parts`: 1 to size(). Callers on several threads take turns.
  void run(int parts, const std::function<void(int part)>& work);

 private:
  // The number of the task, and in its lowest bits the number of its parts, so that a thread reads both at once.
  static constexpr int kPartBits = 16;
  static constexpr std::uint64_t kParts = (std::uint64_t{1} << kPartBits) - 1;

  void serve(int part);

  std::mutex turn_;
  const std::function<void(int)>* work_ = nullptr;  // read only by those that have a part
  std::atomic<std::uint64_t> task_{0};
  std::atomic<int> unfinished_{0};
  std::atomic<bool> ending_{false};
  std::vector<std::thread> threads_;
};

}  // namespace lanescope::device::cpu
