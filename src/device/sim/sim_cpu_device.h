// A profile's CPU as a device, in virtual time: a timing model, deterministic for a seed. cpu/cpu_base.h describes what
// it shares with this machine's CPU.
//
// An op takes op_us + max(arithmetic, memory), varied by the profile's jitter:
//   arithmetic   FLOP / (fp32_gflops / cores * threads)
//   memory       bytes / (memory_gb_per_s * min(threads, 4)): a few threads saturate the memory bandwidth
//   threads      min(cores, ceil(work / grain)), as PyTorch splits work among cores: elementwise ops and reductions by
//                32,768 elements (at::internal::GRAIN_SIZE), matrix products by about a million FLOP
// A Spin takes the time it is given. Copies, fills and the program's own writes run on one thread. Fresh pageable
// memory costs its page faults when a copy, a fill or host_fill() first writes it. As on a simulated GPU, host_fill()
// leaves bytes of unknown value, and ops on them are only timed.
//
// Not modelled: caches (small tensors are read at memory bandwidth, which adds a microsecond or two per 20 KB), the
// different vector code of ops (an exp counts as one FLOP), and the cost of waking other threads. The model is meant
// for loops of small ops, which dispatch_us and op_us dominate, and for deciding which of two sizes takes longer. The
// time of a large matrix product is as accurate as fp32_gflops.
#pragma once

#include <string>

#include "device/cpu/cpu_base.h"
#include "device/sim/cost_model.h"
#include "device/sim/profile.h"
#include "device/sim/sim_host_threads.h"

namespace lanescope::device::sim {

class CpuCostModel {
 public:
  explicit CpuCostModel(const DeviceProfile::Cpu& cpu);

  using Nanoseconds = base::Nanoseconds;
  Nanoseconds op(const ops::Op& op) const;
  /// The number of cores that share the op.
  double threads(const ops::Op& op) const;
  /// Time to read or write memory with one thread.
  Nanoseconds memory(std::size_t bytes) const;
  /// Time of the first touch of fresh pages.
  Nanoseconds page_faults(std::size_t bytes) const;

 private:
  double op_ns_, ns_per_flop_, ns_per_byte_, ns_per_copied_byte_, fault_ns_per_byte_, cores_;
};

/// `id` is as on the command line; empty means "cpu:" and the profile's id.
DeviceInfo cpu_info_of(const DeviceProfile& profile, std::string id = {});

class SimCpuDevice final : public cpu::CpuBase {
 public:
  SimCpuDevice(const DeviceProfile& profile, DeviceContext context, std::string id = {});
  ~SimCpuDevice() override;

  Nanoseconds now_ns() const override { return now_ns_; }
  void host_work(Nanoseconds ns) override;
  void host_wrote(std::size_t bytes) override { host_work(costs_.memory(bytes)); }
  void host_fill(Buffer buffer, std::size_t bytes) override;
  bool host_read(Buffer buffer, std::size_t bytes) override;

  HostThread create_host_thread(std::string_view name) override { return threads_.create(name); }
  void end_host_thread(HostThread thread) override { threads_.end(thread); }
  HostTask submit(HostThread thread, const HostWork& work, HostTask after) override {
    return threads_.submit(thread, work, after, now_ns_);
  }
  bool ended(HostTask task) override { return threads_.ended(task); }
  void wait_for(HostTask task, std::string_view what) override;

 private:
  void execute(const ops::Op& op, std::span<const Buffer> args, bool compute) override;
  void wrote(Slice to, std::size_t bytes) override;
  void progress() override;
  void check_release(Buffer buffer) const override { threads_.check_release(buffer); }
  void advance_to(Nanoseconds t);

  CpuCostModel costs_;
  Jitter jitter_;
  SimHostThreads threads_;
  Nanoseconds now_ns_ = 0;
  Nanoseconds reported_until_ns_ = 0;
};

}  // namespace lanescope::device::sim
