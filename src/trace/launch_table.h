// How kernels were launched: grid, block, registers, shared memory. A loop launches the same few configurations again
// and again, so each distinct one is stored once, and kernels refer to it by number: an event needs no memory for it.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <limits>
#include <memory>
#include <mutex>
#include <optional>
#include <unordered_map>

namespace lanescope::trace {

struct LaunchShape {
  static constexpr std::uint32_t kUnknown = std::numeric_limits<std::uint32_t>::max();

  std::array<std::uint32_t, 3> grid{}, block{};  ///< blocks of the grid, threads of a block; 0: unknown
  std::uint32_t registers_per_thread = kUnknown;
  std::uint32_t shared_bytes = kUnknown;  ///< per block, static and dynamic together
  std::uint32_t static_shared_bytes = kUnknown, dynamic_shared_bytes = kUnknown;
  std::uint32_t context = kUnknown;
  /// As estimated by the tool that wrote the trace; below 0: unknown.
  double blocks_per_sm = -1, warps_per_sm = -1, occupancy_percent = -1;

  bool operator==(const LaunchShape&) const = default;
};

/// Shapes are never removed, so any thread may look up a published number without a lock. intern() locks.
class LaunchTable {
 public:
  static constexpr std::uint32_t kNone = 0;      ///< nothing is known
  static constexpr std::uint32_t kOverflow = 1;  ///< the table was full
  static constexpr std::uint32_t kCapacity = 1u << 17;

  LaunchTable() = default;
  LaunchTable(const LaunchTable&) = delete;
  LaunchTable& operator=(const LaunchTable&) = delete;

  /// kNone for a shape of which nothing is known.
  std::uint32_t intern(const LaunchShape& shape);
  /// Empty for kNone, kOverflow and numbers that intern() has not returned.
  std::optional<LaunchShape> find(std::uint32_t number) const;

 private:
  static constexpr std::uint32_t kFirst = 2, kPageSize = 1024;
  using Page = std::array<LaunchShape, kPageSize>;
  struct Hash {
    std::size_t operator()(const LaunchShape& shape) const;
  };

  std::array<std::unique_ptr<Page>, kCapacity / kPageSize> pages_;
  std::unordered_map<LaunchShape, std::uint32_t, Hash> numbers_;
  std::mutex mutex_;
  std::atomic<std::uint32_t> end_{kFirst};  // one past the last number
};

/// For caches that compare shapes by their hash first.
std::uint64_t hash_of(const LaunchShape& shape);

}  // namespace lanescope::trace
