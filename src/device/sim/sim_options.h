// What a simulated device may be told beside its profile: a machine that was fitted to a recording knows more of itself
// than a profile can say.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

#include "device/device.h"
#include "device/sim/log.h"
#include "ops/op.h"

namespace lanescope::device::sim {

/// An op that is known to take so long, whatever the roofline says. Its scalar is not compared.
struct KnownOp {
  ops::Op op;
  base::Nanoseconds cost = 0;
};

inline constexpr std::size_t kOpKinds = static_cast<std::size_t>(ops::OpKind::Spin) + 1;

/// Is told what a program asks of the device, as it asks.
class SimObserver {
 public:
  virtual void called(Api api, std::uint32_t correlation) = 0;
  virtual void launched(const ops::Op& op) = 0;
  virtual void allocated(MemoryKind kind, std::size_t bytes) = 0;
  virtual void released(MemoryKind kind, std::size_t bytes) = 0;
  /// The calling thread has written so much of host memory, `fresh` of it for the first time.
  virtual void host_wrote(std::size_t bytes, std::size_t fresh) = 0;
  /// A copy to pageable memory touches so many fresh bytes.
  virtual void downloaded(std::size_t bytes, std::size_t fresh) = 0;
  virtual void submitted(const Device::HostWork& work) = 0;
  virtual void waited() = 0;  ///< for a task of a host thread

 protected:
  ~SimObserver() = default;
};

struct SimOptions {
  std::vector<KnownOp> ops;
  /// The program's own CPU time before each call of a kind, beside what it says by host_work(); of launches, by op.
  std::array<base::Nanoseconds, kApis> before_call{};
  std::array<base::Nanoseconds, kOpKinds> before_launch{};
  SimObserver* observer = nullptr;
  /// Ops with more results are only timed.
  double most_computed = std::numeric_limits<double>::infinity();
  /// host_data() of a larger buffer throws base::Error.
  std::size_t most_host_bytes = std::numeric_limits<std::size_t>::max();
};

}  // namespace lanescope::device::sim
