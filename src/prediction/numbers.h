// The numbers of a machine: what is assumed of each as long as a recording does not show it, and how sure it is.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <string>
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
};
inline constexpr std::size_t kNumbers = 32;

/// Something that the recording leaves open.
struct OpenNumber {
  std::string what;  ///< "how fast pageable memory is copied to the GPU"
  /// -1: the end that makes the program fast, 1: the one that makes it slow, 0: what is assumed.
  std::function<void(Machine&, double where)> set;
};
/// The value at such a place; over ranges of more than a factor by ratio.
double between(double where, double fast, double middle, double slow);

class Numbers {
 public:
  /// A machine of which nothing is known: a generic one, no real one.
  Numbers();

  double value(Number number) const { return at(number).value; }
  bool known(Number number) const { return at(number).known; }
  /// As recorded; what it may be off by is `relative`.
  void measured(Number number, double value, double relative);
  /// Still not recorded, but it must lie between these.
  void narrow(Number number, double value, double fast, double slow);
  double fast(Number number) const { return at(number).fast; }
  double slow(Number number) const { return at(number).slow; }

  void write_to(device::sim::DeviceProfile& profile) const;
  std::vector<OpenNumber> open() const;

 private:
  struct State {
    double value = 0, fast = 0, slow = 0;
    bool known = false;
  };
  State& at(Number number) { return states_[static_cast<std::size_t>(number)]; }
  const State& at(Number number) const { return states_[static_cast<std::size_t>(number)]; }
  std::array<State, kNumbers> states_;
};

}  // namespace lanescope::prediction
