// This machine's CPU as a device, in real time. cpu_base.h describes what it shares with a simulated CPU.
//
// Ops are always computed, even if only their time is requested, because there is no model to predict it. Matrix
// products use Eigen, large ones on all cores, as in PyTorch; everything else is computed on the calling thread.
#pragma once

#include <chrono>
#include <string>

#include "device/cpu/cpu_base.h"
#include "device/cuda/random_fill.h"
#include "device/real_host_threads.h"

namespace lanescope::device::cpu {

/// The system's name for it: "12th Gen Intel(R) Core(TM) i7-12800HX".
std::string cpu_name();
/// Parses /proc/cpuinfo; empty if it names no model.
std::string cpu_name_from(std::istream& cpuinfo);
DeviceInfo cpu_info();

class CpuDevice final : public CpuBase {
 public:
  explicit CpuDevice(DeviceContext context);
  ~CpuDevice() override;

  Nanoseconds now_ns() const override;
  void host_work(Nanoseconds ns) override;
  void host_wrote(std::size_t) override {}
  void host_fill(Buffer buffer, std::size_t bytes) override;

  HostThread create_host_thread(std::string_view name) override { return threads_.create(name); }
  void end_host_thread(HostThread thread) override { threads_.end(thread); }
  HostTask submit(HostThread thread, const HostWork& work, HostTask after) override {
    return threads_.submit(thread, work, after);
  }
  bool ended(HostTask task) override { return threads_.ended(task); }
  void wait_for(HostTask task, std::string_view what) override { threads_.wait_for(task, what); }

 private:
  void execute(const ops::Op& op, std::span<const Buffer> args, bool compute) override;
  void wrote(Slice, std::size_t) override { progress(); }
  void progress() override;
  void check_release(Buffer buffer) const override { threads_.check_release(buffer); }
  void busy_for(Nanoseconds ns);

  const std::chrono::steady_clock::time_point origin_ = std::chrono::steady_clock::now();
  cuda::RandomFill random_;
  Nanoseconds reported_until_ns_ = 0;
  RealHostThreads threads_{*this};
};

}  // namespace lanescope::device::cpu
