#include "trace/launch_table.h"

#include <bit>

namespace lanescope::trace {

std::uint64_t hash_of(const LaunchShape& shape) {
  std::uint64_t hash = 0;
  const auto mix = [&](std::uint64_t word) {
    hash = (hash ^ word) * 0x9E3779B97F4A7C15u;
    hash ^= hash >> 32;
  };
  for (const auto& size : {shape.grid, shape.block}) {
    mix(std::uint64_t{size[0]} << 32 | size[1]);
    mix(size[2]);
  }
  mix(std::uint64_t{shape.registers_per_thread} << 32 | shape.shared_bytes);
  mix(std::uint64_t{shape.static_shared_bytes} << 32 | shape.dynamic_shared_bytes);
  mix(shape.context);
  for (const double value : {shape.blocks_per_sm, shape.warps_per_sm, shape.occupancy_percent}) {
    mix(std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));  // -0 equals 0
  }
  return hash;
}

std::size_t LaunchTable::Hash::operator()(const LaunchShape& shape) const {
  return static_cast<std::size_t>(hash_of(shape));
}

std::uint32_t LaunchTable::intern(const LaunchShape& shape) {
  if (shape == LaunchShape{}) return kNone;
  const std::lock_guard lock(mutex_);
  if (const auto known = numbers_.find(shape); known != numbers_.end()) return known->second;
  const std::uint32_t number = end_.load(std::memory_order_relaxed);
  if (number >= kCapacity) return kOverflow;
  std::unique_ptr<Page>& page = pages_[number / kPageSize];
  if (!page) page = std::make_unique<Page>();
  (*page)[number % kPageSize] = shape;
  numbers_.emplace(shape, number);
  // The shape is stored before its number is published, so find() needs no lock.
  end_.store(number + 1, std::memory_order_release);
  return number;
}

std::optional<LaunchShape> LaunchTable::find(std::uint32_t number) const {
  if (number < kFirst || number >= end_.load(std::memory_order_acquire)) return std::nullopt;
  return (*pages_[number / kPageSize])[number % kPageSize];
}

}  // namespace lanescope::trace
