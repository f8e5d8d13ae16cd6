#include "device/sim/cost_model.h"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace lanescope::device::sim {
namespace {

using base::from_us;

constexpr double kMib = 1024.0 * 1024.0;

double ns_per_byte_at(double gb_per_s) { return 1 / gb_per_s; }  // 1e9 bytes/s is a byte per ns
double ns_per_byte_of(double us_per_mib) { return us_per_mib * 1e3 / kMib; }

}  // namespace

CostModel::CostModel(const DeviceProfile& p)
    : launch(from_us(p.cpu.launch_us)),
      memcpy(from_us(p.cpu.memcpy_us)),
      memset(from_us(p.cpu.memset_us)),
      event_record(from_us(p.cpu.event_record_us)),
      event_query(from_us(p.cpu.event_query_us)),
      stream_wait(from_us(p.cpu.stream_wait_us)),
      sync(from_us(p.cpu.sync_us)),
      idle_return(from_us(p.cpu.idle_return_us)),
      wake(from_us(p.cpu.wake_us)),
      stream_create(from_us(p.cpu.stream_create_us)),
      event_create(from_us(p.cpu.event_create_us)),
      malloc(from_us(p.cpu.malloc_us)),
      free(from_us(p.cpu.free_us)),
      graph_gap(from_us(p.gpu.graph_gap_us)),
      launch_latency(from_us(p.gpu.launch_latency_us)),
      copy_latency(from_us(p.gpu.copy_latency_us)),
      copy_fixed(from_us(p.link.copy_fixed_us)),
      h2d_pinned(ns_per_byte_at(p.link.h2d_pinned_gb_per_s)),
      d2h_pinned(ns_per_byte_at(p.link.d2h_pinned_gb_per_s)),
      d2h_pageable(ns_per_byte_at(p.link.d2h_pageable_gb_per_s)),
      inline_limit(static_cast<std::size_t>(p.link.inline_limit_bytes)),
      staging_chunk(static_cast<std::size_t>(p.link.staging_chunk_bytes)),
      staging_slots(static_cast<std::size_t>(p.link.staging_slots)),
      queue_depth(static_cast<std::size_t>(p.gpu.launch_queue_depth)),
      host_alloc_(from_us(p.cpu.host_alloc_us)),
      host_free_(from_us(p.cpu.host_free_us)),
      kernel_floor_(from_us(p.gpu.kernel_floor_us)),
      graph_launch_(from_us(p.cpu.graph_launch_us)),
      graph_node_(p.cpu.graph_node_us * 1e3),
      graph_instantiate_(p.cpu.graph_instantiate_us * 1e3),
      host_alloc_per_byte_(ns_per_byte_of(p.cpu.host_alloc_us_per_mib)),
      host_free_per_byte_(ns_per_byte_of(p.cpu.host_free_us_per_mib)),
      host_per_byte_(ns_per_byte_at(p.cpu.memory_gb_per_s)),
      host_copy_per_byte_(ns_per_byte_at(DeviceProfile::copy_rate(p.cpu))),
      fault_per_byte_(ns_per_byte_of(p.cpu.page_fault_us_per_mib)),
      device_per_byte_(ns_per_byte_at(p.gpu.memory_gb_per_s * p.gpu.reached_fraction)),
      ns_per_flop_(1e-3 / (p.gpu.fp32_tflops * p.gpu.reached_fraction)),
      h2d_pageable_(ns_per_byte_at(p.link.h2d_pageable_gb_per_s)),
      h2d_cached_(ns_per_byte_at(p.link.h2d_cached_gb_per_s)),
      cached_copy_(static_cast<std::size_t>(p.link.cached_copy_bytes)),
      sms_(p.gpu.sm_count),
      tile_rows_(p.gpu.gemm_tile_rows),
      tile_columns_(p.gpu.gemm_tile_columns) {}

double CostModel::utilisation(const ops::Op& op) const {
  if (!ops::is_gemm(op.kind)) return 1;
  double rows = op.m, columns = op.n;
  if (op.kind == ops::OpKind::LinearWeightGrad) {  // dw[n,k]
    rows = op.n;
    columns = op.k;
  } else if (op.kind == ops::OpKind::LinearInputGrad) {  // dx[m,k]
    columns = op.k;
  }
  const double tiles = std::ceil(rows / tile_rows_) * std::ceil(columns / tile_columns_);
  return tiles / (std::ceil(tiles / sms_) * sms_);
}

base::Nanoseconds CostModel::compute_kernel(const ops::Op& op) const {
  if (op.kind == ops::OpKind::Spin) return from_us(op.scalar);
  const double arithmetic = ops::flops(op) * ns_per_flop_ / utilisation(op);
  const double memory = ops::bytes_moved(op) * device_per_byte_;
  return kernel_floor_ + static_cast<Nanoseconds>(std::max(arithmetic, memory) + 0.5);
}

base::Nanoseconds CostModel::kernel(const ops::Op& op) const {
  const auto hash = static_cast<std::uint64_t>(op.kind) * 0x9e3779b9u + static_cast<std::uint64_t>(op.m) * 0x85ebca6bu +
                    static_cast<std::uint64_t>(op.n) * 0xc2b2ae35u + static_cast<std::uint64_t>(op.k) * 0x27d4eb2fu;
  Known& known = known_[(hash ^ hash >> 15) % kKnown];
  if (known.cost < 0 || !(known.op == op)) known = {op, compute_kernel(op)};
  return known.cost;
}

}  // namespace lanescope::device::sim
