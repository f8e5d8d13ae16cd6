#include "device/cpu/cpu_device.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <utility>

#include "base/translate.h"
#include "device/cpu/products.h"

namespace lanescope::device::cpu {

using base::tr;

namespace {

// A writer reports its progress at least this often: the live edge is the earliest of all writers' progress.
constexpr Nanoseconds kReportEvery = base::kMillisecond;

/// Each element of the result depends on the elements at its place in the arguments alone, and all have m x n.
bool is_elementwise(ops::OpKind kind) {
  using ops::OpKind;
  switch (kind) {
    case OpKind::ReluForward:
    case OpKind::ReluBackward:
    case OpKind::MseForward:
    case OpKind::Fill:
    case OpKind::AddInPlace:
    case OpKind::Scale:
    case OpKind::CompareGreater:
    case OpKind::Stack:
    case OpKind::Increment:
      return true;
    default:
      return false;
  }
}

void compute_reference(const ops::Op& op, std::span<const std::span<float>> args) {
  const double elements = static_cast<double>(op.m) * op.n;
  if (elements <= kElementsPerThread || !is_elementwise(op.kind)) return ops::run_reference(op, args);
  const auto count = static_cast<std::size_t>(elements);
  for (const std::span<float> arg : args) {
    if (arg.size() < count) return ops::run_reference(op, args);  // says what is wrong
  }
  Team& team = Team::of_process();
  const int parts = static_cast<int>(
      std::min<std::size_t>(static_cast<std::size_t>(team.size()), (count - 1) / kElementsPerThread + 1));
  team.run(parts, [&](int part) {
    const auto at = [&](int i) { return count * static_cast<std::size_t>(i) / static_cast<std::size_t>(parts); };
    ops::Op some = op;
    some.m = static_cast<std::int32_t>(at(part + 1) - at(part));
    some.n = 1;
    std::array<std::span<float>, ops::kMaxArgs> views;
    for (std::size_t i = 0; i < args.size(); ++i) views.at(i) = args[i].subspan(at(part), at(part + 1) - at(part));
    ops::run_reference(some, std::span(views).first(args.size()));
  });
}

}  // namespace

std::string cpu_name_from(std::istream& cpuinfo) {
  for (std::string line; std::getline(cpuinfo, line);) {
    if (!line.starts_with("model name")) continue;
    const std::size_t from = line.find_first_not_of(" \t", line.find(':') + 1);
    return from == std::string::npos ? std::string() : line.substr(from);
  }
  return {};
}

std::string cpu_name() {
  std::ifstream cpuinfo("/proc/cpuinfo");
  std::string name = cpu_name_from(cpuinfo);
  return name.empty() ? N_("this machine's CPU") : name;
}

DeviceInfo cpu_info() {
  DeviceInfo info;
  info.id = "cpu";
  info.name = cpu_name();
  info.kind = DeviceKind::Cpu;
  return info;
}

CpuDevice::CpuDevice(DeviceContext context)
    : CpuBase(cpu_info(), std::move(context)), random_(CpuBase::context().seed) {}

CpuDevice::~CpuDevice() { writer().complete_until(now_ns()); }

Nanoseconds CpuDevice::now_ns() const {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now() - origin_).count();
}

void CpuDevice::progress() {
  const Nanoseconds now = now_ns();
  if (now - reported_until_ns_ < kReportEvery) return;
  reported_until_ns_ = now;
  writer().complete_until(now);
}

// Sleeping overshoots by tens of microseconds, and these delays are a few.
void CpuDevice::busy_for(Nanoseconds ns) {
  const Nanoseconds until = now_ns() + ns;
  while (now_ns() < until) {
  }
}

void CpuDevice::host_work(Nanoseconds ns) {
  if (ns < 0) throw base::Error(tr("host_work: {} ns is not allowed; at least 0", ns));
  busy_for(ns);
  progress();
}

void CpuDevice::host_fill(Buffer buffer, std::size_t bytes) {
  memory().check({buffer, 0}, bytes, "host_fill");
  random_.fill({reinterpret_cast<float*>(memory().host_data(buffer).data()), bytes / sizeof(float)});
  progress();
}

void CpuDevice::execute(const ops::Op& op, std::span<const Buffer> args, bool /*compute*/) {
  if (op.kind == ops::OpKind::Spin) return busy_for(base::from_us(op.scalar));
  sim::Memory::Views room;
  const std::span<const std::span<float>> views = memory().views(args, room);
  if (!ops::is_gemm(op.kind)) return compute_reference(op, views);
  std::array<std::size_t, ops::kMaxArgs> elements{};
  for (std::size_t i = 0; i < views.size(); ++i) elements[i] = views[i].size();
  ops::check_arguments(op, std::span(elements).first(views.size()));
  compute_product(op, views);
}

}  // namespace lanescope::device::cpu
