// The numbers of a machine: the assumed value of each until a recording shows it, and its uncertainty.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "prediction/simulation.h"

namespace lanescope::prediction {

enum class Number : std::uint8_t {
  Launch,
  Memcpy,
  Memset,
  EventRecord,
  EventQuery,
  StreamWait,
  Sync,
  IdleReturn,
  Wake,
  StreamCreate,
  EventCreate,
  Malloc,
  Free,
  HostAlloc,
  HostAllocPerMib,
  HostFree,
  HostFreePerMib,
  HostMemory,
  PageFault,
  Cores,
  LaunchLatency,
  CopyLatency,
  KernelFloor,
  Arithmetic,
  GpuMemory,
  H2dPinned,
  D2hPinned,
  H2dPageable,
  D2hPageable,
  CopyFixed,
  StagingSlots,
  QueueDepth,
  GraphLaunch,
  GraphNode,
  GraphGap,
};
inline constexpr std::size_t kNumbers = 35;

/// Where a number of the fitted machine comes from.
enum class Basis : std::uint8_t {
  Recorded,  ///< the recording
  Probed,    ///< a probe of the same device
  Assumed,   ///< neither: what is usual
};

/// Something that is not known exactly.
struct OpenNumber {
  std::string what;  ///< "how fast pageable memory is copied to the GPU"
  Basis basis = Basis::Assumed;
  /// As in a profile: "link.h2d_pageable_gb_per_s", with its range in the profile's unit; empty: it has no single
  /// value.
  std::string key;
  double value = 0, fast = 0, slow = 0;
  /// Position -1: the end that makes the program fast; 1: the end that makes it slow; 0: the assumed value.
  std::function<void(Machine&, double where)> set;
};
/// The number with this key of a profile: "link.h2d_pinned_gb_per_s"; kNumbers if it is none of these.
std::size_t number_named(std::string_view key);
/// The value at such a position; interpolates by ratio, or linearly if a value is 0.
double between(double where, double fast, double middle, double slow);

class Numbers {
 public:
  /// An unknown machine: generic, not a real one.
  Numbers();

  double value(Number number) const { return at(number).value; }
  /// The recording shows it.
  bool known(Number number) const { return at(number).basis == Basis::Recorded; }
  /// Neither the recording nor a probe shows it.
  bool assumed(Number number) const { return at(number).basis == Basis::Assumed; }
  /// Sets a measured value with its relative uncertainty.
  void measured(Number number, double value, double relative, Basis basis = Basis::Recorded);
  /// Still not recorded, but limited to [fast, slow] with a new middle value.
  void narrow(Number number, double value, double fast, double slow);
  double fast(Number number) const { return at(number).fast; }
  double slow(Number number) const { return at(number).slow; }

  void write_to(device::sim::DeviceProfile& profile) const;
  std::vector<OpenNumber> open() const;

 private:
  struct State {
    double value = 0, fast = 0, slow = 0;
    Basis basis = Basis::Assumed;
  };
  State& at(Number number) { return states_[static_cast<std::size_t>(number)]; }
  const State& at(Number number) const { return states_[static_cast<std::size_t>(number)]; }
  std::array<State, kNumbers> states_;
};

// --- assumed link ----------------------------------------------------------------------------------------------------
// What links do that a recording does not show.
//
// The rates of the catalogue's real machines (assets/profiles, where each number names its source, in 1e9 bytes per
// second), from pinned and from pageable memory:
//
//   machine                H2D pinned  pageable  ratio   D2H pinned  pageable  ratio
//   h200 (PCIe 5.0)             55.48      9.25   6.00        55.31     16.93   3.27
//   rtx5090 (PCIe 5.0)          56.3       9.2    6.12        57.3       9.2    6.23
//   rtx4090 (P20)               13.45      5.96   2.26        13.37      5.13   2.61
//   rtx4070-laptop-wsl2         12         5      2.4         12         4      3
//
// A rate whose partner was recorded lies within the ratios of its direction; otherwise within the rates. The link's
// generation and width are unknown, and the CPU, not the link, sets the pageable rate, so that one does not give the
// other more exactly.

/// Narrows the link rates that the recording does not show. A rate in the middle is the geometric mean of its bounds.
void assume_link(Numbers& numbers);

}  // namespace lanescope::prediction
