// The numbers of a machine: the assumed value of each until a recording shows it, and its uncertainty.
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

/// Something that the recording does not determine.
struct OpenNumber {
  std::string what;  ///< "how fast pageable memory is copied to the GPU"
  /// Position -1: the end that makes the program fast; 1: the end that makes it slow; 0: the assumed value.
  std::function<void(Machine&, double where)> set;
};
/// The value at such a position; interpolates by ratio, or linearly if a value is 0.
double between(double where, double fast, double middle, double slow);

class Numbers {
 public:
  /// An unknown machine: generic, not a real one.
  Numbers();

  double value(Number number) const { return at(number).value; }
  bool known(Number number) const { return at(number).known; }
  /// Sets a recorded value with its relative uncertainty.
  void measured(Number number, double value, double relative);
  /// Still not recorded, but limited to [fast, slow] with a new middle value.
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
