#include "device/sim/sim_cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include "base/translate.h"
#include "device/cpu/products.h"
#include "device/device.h"

namespace lanescope::device::sim {

using base::tr;

namespace {

constexpr double kThreadsThatFillMemory = 4;

Nanoseconds rounded(double ns) { return static_cast<Nanoseconds>(ns + 0.5); }

}  // namespace

CpuCostModel::CpuCostModel(const DeviceProfile::Cpu& cpu)
    : op_ns_(cpu.op_us * 1e3),
      ns_per_flop_(cpu.cores / cpu.fp32_gflops),  // of a single core
      ns_per_byte_(1 / cpu.memory_gb_per_s),
      ns_per_copied_byte_(1 / DeviceProfile::copy_rate(cpu)),
      fault_ns_per_byte_(cpu.page_fault_us_per_mib * 1e3 / (1 << 20)),
      cores_(cpu.cores) {}

double CpuCostModel::threads(const ops::Op& op) const {
  const bool product = ops::is_gemm(op.kind);
  const double work = product ? ops::flops(op) : static_cast<double>(op.m) * op.n;
  return std::clamp(
      std::ceil(work / (product ? cpu::kProductFlopPerThread : static_cast<double>(cpu::kElementsPerThread))), 1.0,
      cores_);
}

base::Nanoseconds CpuCostModel::op(const ops::Op& op) const {
  if (op.kind == ops::OpKind::Spin) return base::from_us(op.scalar);
  const double shared = threads(op);
  const double arithmetic = ops::flops(op) * ns_per_flop_ / shared;
  const double memory = ops::bytes_moved(op) * ns_per_copied_byte_ / std::min(shared, kThreadsThatFillMemory);
  return rounded(op_ns_ + std::max(arithmetic, memory));
}

base::Nanoseconds CpuCostModel::memory(std::size_t bytes) const {
  return rounded(static_cast<double>(bytes) * ns_per_byte_);
}

base::Nanoseconds CpuCostModel::page_faults(std::size_t bytes) const {
  return rounded(static_cast<double>(bytes) * fault_ns_per_byte_);
}

DeviceInfo cpu_info_of(const DeviceProfile& profile, std::string id) {
  DeviceInfo info;
  info.id = id.empty() ? "cpu:" + profile.id : std::move(id);
  info.name = cpu_name_beside(profile.name);
  info.profile = profile.id;
  info.simulated = true;
  info.virtual_time = true;
  info.framework = profile.pytorch_cpu;
  info.dispatch_us = info.framework.known() ? info.framework.of(FrameworkCall::Op) : profile.cpu.dispatch_us;
  info.kind = DeviceKind::Cpu;
  return info;
}

SimCpuDevice::SimCpuDevice(const DeviceProfile& profile, DeviceContext context, std::string id)
    : CpuBase(cpu_info_of(profile, std::move(id)), std::move(context)),
      costs_(profile.cpu),
      jitter_(profile.jitter_spread, profile.jitter_gpu_spread, CpuBase::context().seed),
      threads_(profile.cpu, sink(), writer(), memory()) {}

SimCpuDevice::~SimCpuDevice() {
  threads_.close(now_ns_);
  writer().complete_until(now_ns_);
}

void SimCpuDevice::advance_to(Nanoseconds t) {
  threads_.advance_to(t);
  now_ns_ = t;
}

void SimCpuDevice::progress() {
  constexpr Nanoseconds kStep = 20 * base::kMicrosecond;
  if (context().advanced) {
    writer().complete_until(now_ns_);
    context().advanced(now_ns_);
  } else if (now_ns_ - reported_until_ns_ >= kStep) {
    reported_until_ns_ = now_ns_;
    writer().complete_until(now_ns_);
    if (context().recorded) context().recorded();
  }
}

void SimCpuDevice::host_work(Nanoseconds ns) {
  if (ns < 0) throw base::Error(tr("host_work: {} ns is not allowed; at least 0", ns));
  advance_to(now_ns_ + ns);
  progress();
}

bool SimCpuDevice::host_read(Buffer buffer, std::size_t bytes) {
  memory().check({buffer}, bytes, "host_read");
  return bytes == 0 || !threads_.writes(buffer);
}

void SimCpuDevice::wait_for(HostTask task, std::string_view what) {
  threads_.wait_for(
      task, what, now_ns_, [this](Nanoseconds t) { advance_to(t); }, [this] { progress(); });
}

void SimCpuDevice::wrote(Slice to, std::size_t bytes) {
  host_work(jitter_.apply(costs_.memory(bytes) + costs_.page_faults(memory().touch(to, bytes))));
}

void SimCpuDevice::host_fill(Buffer buffer, std::size_t bytes) {
  memory().check({buffer}, bytes, "host_fill");
  memory().mark_timing_only(std::array{buffer});
  host_work(costs_.memory(bytes) + costs_.page_faults(memory().touch({buffer}, bytes)));
}

void SimCpuDevice::execute(const ops::Op& op, std::span<const Buffer> args, bool compute) {
  advance_to(now_ns_ + jitter_.apply(costs_.op(op)));
  if (!compute || !memory().have_values(args)) return memory().mark_timing_only(args);
  Memory::Views room;
  ops::run_reference(op, memory().views(args, room));
}

}  // namespace lanescope::device::sim
