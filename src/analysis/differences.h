// What a loop's time is made of, by name, and what of that differs between two traces.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/live_analysis.h"

namespace lanescope::analysis {

/// Kernels, copies and idle time add up to the GPU's time, if no two of its operations run at once. The others are
/// the CPU's.
enum class CostKind : std::uint8_t {
  Kernel,    ///< and memsets: their durations
  Copy,      ///< by direction and memory of the host: their durations
  Idle,      ///< of the GPU, by cause; counts nothing
  Operator,  ///< of a framework: without the operators inside it
  Call,      ///< of the API: without what it waits for
  Wait,      ///< by call: waiting, copying and returning
};
inline constexpr std::size_t kCostKinds = 6;
std::string_view cost_kind_name(CostKind kind);  ///< "kernel", "idle time"; translated
std::string_view cost_kind_key(CostKind kind);   ///< the key in JSON: "kernel", "idle"

struct Cost {
  CostKind kind = CostKind::Kernel;
  std::string name;  ///< of idle time: cause_key()
  double count = 0;
  double ns = 0;                      ///< the sum
  std::vector<std::uint64_t> shapes;  ///< different launch configurations, or shapes of inputs, as hashes, sorted

  double each_ns() const { return count > 0 ? ns / count : 0; }
};

/// Of the iterations that the advice is about (of those that were recorded as a whole, if not everything was), for the
/// GPU that the verdict is about. Without iterations: of the whole trace.
struct LoopCosts {
  std::int64_t iterations = 0;  ///< 0: there are none
  Nanoseconds span_ns = 0;
  std::vector<Cost> costs;  ///< the sums over all iterations
};
LoopCosts loop_costs(const trace::Trace& trace, const LiveAnalysis& analysis, const Summary& figures);

struct Difference {
  CostKind kind = CostKind::Kernel;
  std::string name;
  // Per iteration if both traces have iterations, otherwise in all. A side without it has 0.
  double first_count = 0, second_count = 0, first_ns = 0, second_ns = 0;
  bool other_count = false;   ///< by more than 1 %
  bool other_length = false;  ///< each is longer or shorter, by more than 2 %
  bool other_shapes = false;  ///< both have shapes, and not the same

  double change_ns() const { return second_ns - first_ns; }
};
struct Differences {
  bool per_iteration = false;
  std::vector<Difference> rows;  ///< all that either trace has, those that cost or save most first
};
Differences differences(const LoopCosts& first, const LoopCosts& second);

}  // namespace lanescope::analysis
