// What a trace holds of a run, read once: its iterations, its calls in order, and the GPU's work that each caused.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "device/sim/log.h"
#include "ops/op.h"
#include "trace/trace.h"

namespace lanescope::prediction {

using base::Nanoseconds;
using device::sim::Api;

/// A call that no simulated device knows.
inline constexpr std::size_t kOtherApi = device::sim::kApis;
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct RecordedCall {
  std::size_t api = kOtherApi;
  Nanoseconds start = 0, end = 0;
  trace::CallParts parts;
  bool blocking = false;
  std::uint32_t correlation = 0;
  std::size_t operation = kNone;  ///< the first that it issued
  std::size_t iteration = kNone;

  bool is(Api a) const { return api == static_cast<std::size_t>(a); }
  Nanoseconds own_end() const { return start + parts.own; }
};

struct RecordedOperation {
  trace::Event event;
  std::size_t call = kNone;
  Nanoseconds before = 0;  ///< when all that was issued earlier had ended
  std::string_view name;
  std::optional<ops::OpKind> kind;  ///< of a kernel; none: a library's own
};

struct RecordedIteration {
  std::uint64_t number = 0;
  Nanoseconds start = 0, end = 0;
  /// When the CPU was through with it, and the GPU with all that had been issued by then.
  Nanoseconds done = 0;
  std::size_t first_call = 0, last_call = 0;

  std::size_t calls() const { return last_call - first_call; }
};

/// A task of one of the program's further threads, from when it is through with the calls that it begins with.
struct RecordedTask {
  std::string name;
  Nanoseconds start = 0, end = 0;
};

struct Recording {
  std::vector<RecordedCall> calls;  ///< by start; those before the first iteration's are from elsewhere in the run
  std::vector<RecordedOperation> operations;
  std::vector<RecordedIteration> iterations;  ///< whole ones, and the GPU's work for them is there
  std::vector<RecordedTask> tasks;            ///< that lie in the iterations
  std::size_t most_tasks_at_once = 0;
  /// Calls [0, setup_calls) are all that the program did before its first iteration; 0 when that is not known.
  std::size_t setup_calls = 0;
  Nanoseconds setup_start = 0, setup_end = 0;

  std::span<const RecordedCall> calls_of(const RecordedIteration& i) const {
    return std::span(calls).subspan(i.first_call, i.calls());
  }
};

/// The newest iterations in [from, to), so many that reading them takes a moment, with what leads up to them and the
/// run's beginning.
Recording read_recording(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                         const std::atomic<bool>* stop = nullptr);

/// Iterations [first, last) of n: whole periods, without the beginning, in which queues fill and memory is allocated.
struct Stretch {
  std::size_t first = 0, last = 0;
  std::size_t count() const { return last - first; }
};
Stretch steady_stretch(std::size_t n, std::size_t period);
/// From done to done, so that it is the same whether the CPU runs ahead of the GPU or not.
double mean_iteration_ns(const std::vector<RecordedIteration>& iterations, Stretch stretch);

}  // namespace lanescope::prediction
