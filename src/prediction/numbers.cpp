#include "prediction/numbers.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <vector>

#include "base/translate.h"
#include "device/sim/profile.h"

namespace lanescope::prediction {
namespace {

using device::sim::DeviceProfile;

// A smaller relative uncertainty counts as none.
constexpr double kSure = 0.004;

struct Spec {
  Number number;
  const char* what;
  const char* key;
  double& (*of)(DeviceProfile&);
  double assumed, fast, slow;
};

#define LANESCOPE_OF(member) #member, [](DeviceProfile & p) -> double& { return p.member; }
// The assumed value, and the range on machines of the last ten years: desktops and servers under Linux, laptops in a
// virtual machine. Times are in microseconds (for calls, CPU time per call), rates in 1e9 bytes per second.
constexpr Spec kSpecs[] = {
    {Number::Launch, N_("what launching a kernel costs the CPU"), LANESCOPE_OF(cpu.launch_us), 4, 2, 35},
    {Number::Memcpy, N_("what issuing a copy costs the CPU"), LANESCOPE_OF(cpu.memcpy_us), 4, 1.5, 35},
    {Number::Memset, N_("what issuing a memset costs the CPU"), LANESCOPE_OF(cpu.memset_us), 4, 1, 35},
    {Number::EventRecord, N_("what recording an event costs the CPU"), LANESCOPE_OF(cpu.event_record_us), 1, 0.3, 4},
    {Number::EventQuery, N_("what querying an event costs the CPU"), LANESCOPE_OF(cpu.event_query_us), 0.8, 0.2, 3},
    {Number::StreamWait, N_("what a wait between streams costs the CPU"), LANESCOPE_OF(cpu.stream_wait_us), 1, 0.2, 4},
    {Number::Sync, N_("what calling a synchronisation costs the CPU"), LANESCOPE_OF(cpu.sync_us), 2, 0.1, 8},
    {Number::IdleReturn, N_("what a synchronisation with nothing to wait for costs"), LANESCOPE_OF(cpu.idle_return_us),
     2, 0, 8},
    {Number::Wake, N_("how long the CPU takes to wake up from a synchronisation"), LANESCOPE_OF(cpu.wake_us), 20, 2,
     120},
    {Number::StreamCreate, N_("what creating a stream costs"), LANESCOPE_OF(cpu.stream_create_us), 5, 2, 30},
    {Number::EventCreate, N_("what creating an event costs"), LANESCOPE_OF(cpu.event_create_us), 1, 0.2, 5},
    {Number::Malloc, N_("what allocating GPU memory costs"), LANESCOPE_OF(cpu.malloc_us), 80, 5, 300},
    {Number::Free, N_("what freeing GPU memory costs"), LANESCOPE_OF(cpu.free_us), 80, 5, 300},
    {Number::HostAlloc, N_("what pinning memory costs"), LANESCOPE_OF(cpu.host_alloc_us), 50, 2, 300},
    {Number::HostAllocPerMib, N_("what pinning memory costs"), LANESCOPE_OF(cpu.host_alloc_us_per_mib), 400, 50, 800},
    {Number::HostFree, N_("what unpinning memory costs"), LANESCOPE_OF(cpu.host_free_us), 50, 2, 300},
    {Number::HostFreePerMib, N_("what unpinning memory costs"), LANESCOPE_OF(cpu.host_free_us_per_mib), 100, 10, 300},
    {Number::HostMemory, N_("how fast the CPU writes memory"), LANESCOPE_OF(cpu.memory_gb_per_s), 10, 30, 4},
    {Number::PageFault, N_("what fresh memory costs the CPU"), LANESCOPE_OF(cpu.page_fault_us_per_mib), 80, 20, 250},
    {Number::Cores, N_("how many cores the CPU has"), LANESCOPE_OF(cpu.cores), 16, 256, 4},
    {Number::LaunchLatency, N_("how long a launch takes to reach an idle GPU"), LANESCOPE_OF(gpu.launch_latency_us), 2,
     0, 20},
    {Number::CopyLatency, N_("how long a copy takes to reach an idle GPU"), LANESCOPE_OF(gpu.copy_latency_us), 2, 0,
     20},
    {Number::KernelFloor, N_("how long the smallest kernel takes"), LANESCOPE_OF(gpu.kernel_floor_us), 2.5, 1, 10},
    {Number::Arithmetic, N_("how fast the GPU multiplies matrices"), LANESCOPE_OF(gpu.fp32_tflops), 25, 100, 2},
    {Number::GpuMemory, N_("how fast the GPU's memory is"), LANESCOPE_OF(gpu.memory_gb_per_s), 700, 4000, 150},
    {Number::H2dPinned, N_("how fast pinned memory is copied to the GPU"), LANESCOPE_OF(link.h2d_pinned_gb_per_s), 14,
     60, 5},
    {Number::D2hPinned, N_("how fast the GPU copies to pinned memory"), LANESCOPE_OF(link.d2h_pinned_gb_per_s), 14, 60,
     5},
    {Number::H2dPageable, N_("how fast pageable memory is copied to the GPU"), LANESCOPE_OF(link.h2d_pageable_gb_per_s),
     6, 16, 2},
    {Number::D2hPageable, N_("how fast the GPU copies to pageable memory"), LANESCOPE_OF(link.d2h_pageable_gb_per_s), 5,
     18, 1.5},
    {Number::CopyFixed, N_("how long the smallest copy takes"), LANESCOPE_OF(link.copy_fixed_us), 1.5, 0, 5},
    {Number::StagingSlots, N_("how much pageable memory a copy buffers before it waits"),
     LANESCOPE_OF(link.staging_slots), 16, 32, 8},
    {Number::QueueDepth, N_("how many launches the GPU queues"), LANESCOPE_OF(gpu.launch_queue_depth), 1024, 1024,
     1024},
    {Number::GraphLaunch, N_("what launching a CUDA graph costs the CPU"), LANESCOPE_OF(cpu.graph_launch_us), 4, 2, 35},
    {Number::GraphNode, N_("what each node of a CUDA graph adds to its launch"), LANESCOPE_OF(cpu.graph_node_us), 0.1,
     0, 0.5},
    {Number::GraphGap, N_("how much time passes between two nodes of a CUDA graph"), LANESCOPE_OF(gpu.graph_gap_us),
     0.2, 0, 0.6},
};
#undef LANESCOPE_OF
static_assert(std::size(kSpecs) == kNumbers);

constexpr bool specs_are_in_order() {
  for (std::size_t i = 0; i < kNumbers; ++i) {
    if (static_cast<std::size_t>(kSpecs[i].number) != i) return false;
  }
  return true;
}
static_assert(specs_are_in_order());

}  // namespace

double between(double where, double fast, double middle, double slow) {
  const double end = where < 0 ? fast : slow, share = std::min(std::abs(where), 1.0);
  if (end > 0 && middle > 0) return middle * std::pow(end / middle, share);
  return middle + share * (end - middle);
}

Numbers::Numbers() {
  for (const Spec& spec : kSpecs) at(spec.number) = {spec.assumed, spec.fast, spec.slow, Basis::Assumed};
}

std::size_t number_named(std::string_view key) {
  const auto* found = std::find_if(std::begin(kSpecs), std::end(kSpecs), [&](const Spec& s) { return key == s.key; });
  return static_cast<std::size_t>(found - std::begin(kSpecs));
}

void Numbers::measured(Number number, double value, double relative, Basis basis) {
  State& state = at(number);
  const bool more_is_slow =
      kSpecs[static_cast<std::size_t>(number)].slow >= kSpecs[static_cast<std::size_t>(number)].fast;
  state.value = value;
  state.basis = basis;
  if (relative < kSure) relative = 0;
  const double less = value * (1 - std::min(relative, 0.9)), more = value * (1 + relative);
  state.fast = more_is_slow ? less : more;
  state.slow = more_is_slow ? more : less;
}

void Numbers::narrow(Number number, double value, double fast, double slow) {
  at(number) = {value, fast, slow, Basis::Assumed};
}

void Numbers::write_to(DeviceProfile& profile) const {
  for (const Spec& spec : kSpecs) spec.of(profile) = at(spec.number).value;
  // A recording does not show these, so they get the values that most machines have.
  profile.gpu.reached_fraction = 1;
  profile.gpu.gemm_tile_rows = 128;
  profile.gpu.gemm_tile_columns = 64;
  profile.link.inline_limit_bytes = 64 * 1024;
  profile.link.staging_chunk_bytes = 128 * 1024;
}

std::vector<OpenNumber> Numbers::open() const {
  std::vector<OpenNumber> list;
  for (const Spec& spec : kSpecs) {
    const State& state = at(spec.number);
    if (state.fast == state.slow) continue;
    list.push_back({base::tr(spec.what), state.basis, spec.key, state.value, state.fast, state.slow,
                    [&spec, state](Machine& machine, double where) {
                      spec.of(machine.profile) = between(where, state.fast, state.value, state.slow);
                    }});
  }
  return list;
}

// --- assumed link ----------------------------------------------------------------------------------------------------

namespace {

struct Range {
  double least = std::numeric_limits<double>::max(), most = 0;
  void add(double value) {
    least = std::min(least, value);
    most = std::max(most, value);
  }
  Range times(double factor) const { return {least * factor, most * factor}; }
};

/// One direction: its rates from and to pinned and pageable memory, and the ratio of the first to the second.
struct Direction {
  Number pinned, pageable;
  Range pinned_rates{}, pageable_rates{}, ratios{};
};

/// The catalogue's profiles of real machines; the numbers of "teaching" are round.
std::vector<DeviceProfile> real_machines() {
  std::vector<DeviceProfile> profiles;
  for (const std::string& id : device::sim::embedded_profiles()) {
    if (id != "teaching") profiles.push_back(device::sim::embedded_profile(id));
  }
  return profiles;
}

std::array<Direction, 2> from_the_catalogue() {
  std::array<Direction, 2> both{{{Number::H2dPinned, Number::H2dPageable}, {Number::D2hPinned, Number::D2hPageable}}};
  for (const DeviceProfile& profile : real_machines()) {
    const DeviceProfile::Link& link = profile.link;
    const auto add = [](Direction& d, double pinned, double pageable) {
      d.pinned_rates.add(pinned);
      d.pageable_rates.add(pageable);
      d.ratios.add(pinned / pageable);
    };
    add(both[0], link.h2d_pinned_gb_per_s, link.h2d_pageable_gb_per_s);
    add(both[1], link.d2h_pinned_gb_per_s, link.d2h_pageable_gb_per_s);
  }
  return both;
}

/// Within `range`, and not slower than what the recording has been seen to reach.
void narrow(Numbers& numbers, Number number, const Range& range) {
  static const Numbers kUnknown;
  const double reached = numbers.slow(number) != kUnknown.slow(number) ? numbers.slow(number) : 0;
  const double least = std::max(range.least, reached);
  const double most = std::max(range.most, least);
  numbers.narrow(number, std::sqrt(least * most), most, least);
}

}  // namespace

void assume_link(Numbers& numbers) {
  static const std::array<Direction, 2> kBoth = from_the_catalogue();
  for (std::size_t i = 0; i < kBoth.size(); ++i) {
    const Direction &direction = kBoth[i], &other = kBoth[1 - i];
    const bool pinned = numbers.known(direction.pinned), pageable = numbers.known(direction.pageable);
    // If the other direction's pinned rate is known, this one is already narrowed to about the same.
    if (!pinned && !numbers.known(other.pinned)) {
      const double rate = pageable ? numbers.value(direction.pageable) : 0;
      narrow(numbers, direction.pinned, pageable ? direction.ratios.times(rate) : direction.pinned_rates);
    }
    if (pageable) continue;
    const double rate = numbers.value(direction.pinned);
    const Range usual{rate / direction.ratios.most, rate / direction.ratios.least};
    narrow(numbers, direction.pageable, pinned ? usual : direction.pageable_rates);
  }
}

}  // namespace lanescope::prediction
