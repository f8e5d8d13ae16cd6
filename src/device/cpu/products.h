// Matrix products, using the widest vector instructions of this CPU and, for large ones, several of its cores; the
// threads among which they are divided, as PyTorch divides them.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <mutex>
#include <span>
#include <thread>
#include <vector>

#include "device/op.h"

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

// --- products --------------------------------------------------------------------------------------------------------
// Matrix products, using the widest vector instructions of this CPU and, for large ones, several of its cores.

/// Each thread gets at least about so many operations; fewer are not worth waking it up for.
inline constexpr double kProductFlopPerThread = 1 << 20;
/// The same for operations element by element.
inline constexpr std::size_t kElementsPerThread = 32'768;

/// Computes an op for which ops::is_gemm() holds. The arguments must have been checked.
void compute_product(const ops::Op& op, std::span<const std::span<float>> args);

/// The shape and the arguments as listed at ops::OpKind. Used by code compiled for one instruction set, which must not
/// instantiate any template that the linker could merge with the rest of the program.
struct Product {
  ops::OpKind kind;
  int m, n, k;
  int stride;  ///< from one row of args[0] to the next
  float* args[4];
};
void product_for_any_cpu(const Product& product);
void product_for_avx2(const Product& product);  ///< x86 only

}  // namespace lanescope::device::cpu
