#include "calibration/probe.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <thread>
#include <vector>

#include "device/cpu/cpu_device.h"

namespace lanescope::calibration {
namespace {

using device::cpu::CpuDevice;
using ops::Op;
using ops::OpKind;
using trace::MemoryKind;

constexpr int kHostRepeats = 9;

template <typename Work>
double median_us(CpuDevice& cpu, Work work) {
  std::vector<double> us;
  work();  // touches its memory
  for (int i = 0; i < kHostRepeats; ++i) {
    const Nanoseconds start = cpu.now_ns();
    work();
    us.push_back(base::to_us(cpu.now_ns() - start));
  }
  return median(us);
}

double product_gflops(CpuDevice& cpu) {
  constexpr std::int32_t kSide = 512;
  std::array<Buffer, 3> args{};
  for (Buffer& each : args) each = cpu.allocate(MemoryKind::Pageable, std::size_t{kSide} * kSide * sizeof(float));
  for (const Buffer each : {args[0], args[1]}) cpu.host_fill(each, std::size_t{kSide} * kSide * sizeof(float));
  const Op op{OpKind::LinearInputGrad, kSide, kSide, kSide};
  const double us = median_us(cpu, [&] { cpu.launch(op, args, Stream::Default, true); });
  for (const Buffer each : args) cpu.release(each);
  return ops::flops(op) / std::max(us, 1e-3) / 1e3;
}

double small_op_us(CpuDevice& cpu) {
  constexpr int kOps = 1000;
  const Buffer one = cpu.allocate(MemoryKind::Pageable, sizeof(float));
  const double us = median_us(cpu, [&] {
    for (int i = 0; i < kOps; ++i) cpu.launch({OpKind::Fill, 1, 1}, {&one, 1}, Stream::Default, true);
  });
  cpu.release(one);
  return us / kOps;
}

// Maps memory, touches one byte per page, and gives it back, as a loop that needs fresh memory does: less the time of
// touching it again, that is what its pages cost. Of little memory, the system may have pages at hand that are still in
// the CPU's cache.
double page_fault_us_per_mib(const CpuDevice& cpu) {
  constexpr std::size_t kMiBs = 256, kBytes = kMiBs << 20, kPage = 4096;
  std::vector<double> us;
  for (int i = 0; i < 3; ++i) {
    const Nanoseconds start = cpu.now_ns();
    std::unique_ptr<char, decltype(&std::free)> memory(static_cast<char*>(std::malloc(kBytes)), &std::free);
    if (!memory) return 0;
    const auto touch = [&] {
      const Nanoseconds began = cpu.now_ns();
      volatile char* bytes = memory.get();
      for (std::size_t at = 0; at < kBytes; at += kPage) bytes[at] = 1;
      return cpu.now_ns() - began;
    };
    touch();
    const Nanoseconds again = touch();
    memory.reset();
    us.push_back(std::max(0.0, base::to_us(cpu.now_ns() - start - 2 * again)) / kMiBs);
  }
  return median(us);
}

// From pageable memory to memory that is in use already, as .pin_memory() copies a batch.
double copy_gb_per_s(const CpuDevice& cpu) {
  constexpr std::size_t kBytes = std::size_t{4} << 20;
  constexpr int kCopies = 60;
  const std::vector<char> from(kBytes, 1);
  std::vector<char> to(kBytes, 2);
  std::vector<double> us;
  for (int i = 0; i < kCopies; ++i) {
    const Nanoseconds start = cpu.now_ns();
    std::memcpy(to.data(), from.data(), kBytes);
    us.push_back(base::to_us(cpu.now_ns() - start));
    const volatile char copied = to[static_cast<std::size_t>(i)];
    static_cast<void>(copied);
  }
  return static_cast<double>(kBytes) / std::max(undisturbed(us), 1e-3) / 1e3;
}

}  // namespace

HostCpu measure_host_cpu() {
  OperationSink sink;  // discards ranges
  device::DeviceContext context;
  context.sink = &sink;
  CpuDevice cpu(std::move(context));
  HostCpu found;
  found.name = cpu.info().name;
  found.cores = std::max(1u, std::thread::hardware_concurrency());
  found.copy_gb_per_s = copy_gb_per_s(cpu);
  found.page_fault_us_per_mib = page_fault_us_per_mib(cpu);
  found.fp32_gflops = product_gflops(cpu);
  found.op_us = small_op_us(cpu);
  return found;
}

}  // namespace lanescope::calibration
