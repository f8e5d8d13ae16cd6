// The cost of every call and operation on a profile's machine, in nanoseconds.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <utility>

#include "base/random.h"
#include "base/time.h"
#include "device/op.h"
#include "device/sim/profile.h"

namespace lanescope::device::sim {

// --- jitter ----------------------------------------------------------------------------------------------------------
// Seeded random variation of costs.

/// Scales costs by a factor from a symmetric triangular distribution around 1, so that the means match the profile. The
/// same seed gives the same sequence.
class Jitter {
 public:
  /// `gpu_spread`: of what the GPU does; negative: as what the CPU does.
  Jitter(double spread, double gpu_spread, std::uint64_t seed)
      : spread_(spread), gpu_spread_(gpu_spread < 0 ? spread : gpu_spread), random_(seed), drawn_(triangular()) {}

  double factor() { return factor(spread_); }
  double gpu_factor() { return factor(gpu_spread_); }
  base::Nanoseconds apply(base::Nanoseconds cost) { return apply(cost, spread_); }
  base::Nanoseconds apply_to_gpu(base::Nanoseconds cost) { return apply(cost, gpu_spread_); }

 private:
  double factor(double spread) { return spread <= 0 ? 1 : 1 + spread * draw(); }
  [[gnu::always_inline]] base::Nanoseconds apply(base::Nanoseconds cost, double spread) {  // in every call
    if (spread <= 0) return cost;
    const double exact = static_cast<double>(cost);
    return static_cast<base::Nanoseconds>(exact + exact * spread * draw() + 0.5);
  }
  /// Drawn ahead: what a call costs decides at once what happens next, and must not wait for the generator.
  double draw() { return std::exchange(drawn_, triangular()); }
  /// Triangular in [-1, 1): the centred sum of the two halves of 64 random bits.
  double triangular() {
    const std::uint64_t z = random_.next();
    constexpr std::int64_t kHalf = std::int64_t{1} << 32;
    const auto sum = static_cast<std::int64_t>((z >> 32) + (z & 0xffffffffu));
    return static_cast<double>(sum - kHalf) * (1.0 / static_cast<double>(kHalf));
  }

  double spread_, gpu_spread_;
  base::Random random_;
  double drawn_;
};

// --- cost model ------------------------------------------------------------------------------------------------------

class CostModel {
 public:
  explicit CostModel(const DeviceProfile& profile);

  using Nanoseconds = base::Nanoseconds;

  // What calls cost the calling thread.
  Nanoseconds launch, memcpy, memset, event_record, event_query, stream_wait, sync, idle_return, wake, stream_create,
      event_create, malloc, free;
  Nanoseconds graph_launch(std::size_t nodes) const { return per_node(graph_launch_, graph_node_, nodes); }
  Nanoseconds graph_instantiate(std::size_t nodes) const { return per_node(0, graph_instantiate_, nodes); }
  Nanoseconds graph_gap;  ///< between two nodes of a graph
  // From the return of a call until its work can start.
  Nanoseconds launch_latency, copy_latency;

  Nanoseconds host_alloc(std::size_t bytes) const { return per_mib(host_alloc_, host_alloc_per_byte_, bytes); }
  Nanoseconds host_free(std::size_t bytes) const { return per_mib(host_free_, host_free_per_byte_, bytes); }
  /// Copies within host memory.
  Nanoseconds host_copy(std::size_t bytes) const { return at_rate(bytes, host_copy_per_byte_); }
  Nanoseconds host_write(std::size_t bytes) const { return at_rate(bytes, host_per_byte_); }
  /// The first touch of fresh pageable memory.
  Nanoseconds page_faults(std::size_t fresh_bytes) const { return at_rate(fresh_bytes, fault_per_byte_); }

  /// Roofline: max(FLOP / rate, bytes / bandwidth) + floor.
  Nanoseconds kernel(const ops::Op& op) const;
  /// The share of the SMs that a matrix product's tiles keep busy: tiles / (waves * SMs). 1 for other ops.
  double utilisation(const ops::Op& op) const;
  Nanoseconds memset_on_device(std::size_t bytes) const { return kernel_floor_ + at_rate(bytes, device_per_byte_); }
  Nanoseconds copy_on_device(std::size_t bytes) const { return copy_fixed + at_rate(2 * bytes, device_per_byte_); }

  // The link: a copy takes copy_fixed + bytes * (ns per byte).
  Nanoseconds copy_fixed;
  double h2d_pinned, d2h_pinned, d2h_pageable;  ///< ns per byte
  /// The same, of a copy of so many bytes.
  double h2d_pageable(std::size_t bytes) const { return bytes <= cached_copy_ ? h2d_cached_ : h2d_pageable_; }
  std::size_t inline_limit, staging_chunk, staging_slots, queue_depth;

  static Nanoseconds at_rate(std::size_t bytes, double ns_per_byte) {
    return static_cast<Nanoseconds>(static_cast<double>(bytes) * ns_per_byte + 0.5);
  }

 private:
  static Nanoseconds per_mib(Nanoseconds call, double ns_per_byte, std::size_t bytes) {
    return call + at_rate(bytes, ns_per_byte);
  }
  static Nanoseconds per_node(Nanoseconds call, double ns_per_node, std::size_t nodes) {
    return call + at_rate(nodes, ns_per_node);
  }
  Nanoseconds compute_kernel(const ops::Op& op) const;

  Nanoseconds host_alloc_, host_free_, kernel_floor_, graph_launch_;
  double graph_node_, graph_instantiate_;  // ns per node
  double host_alloc_per_byte_, host_free_per_byte_, host_per_byte_, host_copy_per_byte_, fault_per_byte_;
  double device_per_byte_, ns_per_flop_;
  double h2d_pageable_, h2d_cached_;
  std::size_t cached_copy_;
  double sms_, tile_rows_, tile_columns_;

  // Known costs are looked up per call; a loop issues the same few ops over and over.
  struct Known {
    ops::Op op;
    Nanoseconds cost = -1;
  };
  static constexpr std::size_t kKnown = 64;
  mutable std::array<Known, kKnown> known_;
};

}  // namespace lanescope::device::sim
