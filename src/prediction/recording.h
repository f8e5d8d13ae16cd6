// The contents of a trace, read once: iterations, calls in order, and the GPU work that each issued.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/pace.h"
#include "device/device.h"
#include "device/op.h"
#include "trace/owners.h"
#include "trace/trace.h"

namespace lanescope::prediction {

using base::Nanoseconds;
using device::CudaCall;

/// A call that the simulated device does not know.
inline constexpr std::size_t kOtherApi = device::kCudaCalls;
inline constexpr std::size_t kNone = static_cast<std::size_t>(-1);

struct RecordedCall {
  std::size_t api = kOtherApi;
  Nanoseconds start = 0, end = 0;
  trace::CallParts parts;
  bool blocking = false;
  std::uint32_t correlation = 0;
  std::size_t operation = kNone;  ///< the first operation it issued
  std::size_t iteration = kNone;

  bool is(CudaCall a) const { return api == static_cast<std::size_t>(a); }
  Nanoseconds own_end() const { return start + parts.own; }
};

struct RecordedOperation {
  trace::Event event;
  std::size_t call = kNone;
  Nanoseconds before = 0;  ///< when everything issued earlier had ended
  std::string_view name;
  std::optional<ops::OpKind> kind;  ///< of a kernel; empty: a library's kernel
};

struct RecordedIteration {
  std::uint64_t number = 0;
  Nanoseconds start = 0, end = 0;
  /// When both the CPU had finished the iteration and the GPU everything issued by then.
  Nanoseconds done = 0;
  std::size_t first_call = 0, last_call = 0;

  std::size_t calls() const { return last_call - first_call; }
};

/// A task of another thread of the program; starts after its initial calls.
struct RecordedTask {
  std::string name;
  Nanoseconds start = 0, end = 0;
};

struct Recording {
  std::vector<RecordedCall> calls;  ///< by start; includes earlier calls of the run, before those of the first
                                    ///< iteration
  std::vector<RecordedOperation> operations;
  std::vector<RecordedIteration> iterations;  ///< whole iterations with their GPU work
  std::vector<RecordedTask> tasks;            ///< within the iterations
  std::size_t most_tasks_at_once = 0;
  /// Calls [0, setup_calls) are all calls before the program's first iteration; 0 if that is unknown.
  std::size_t setup_calls = 0;
  Nanoseconds setup_start = 0, setup_end = 0;
  bool several_gpus = false;  ///< the calls have issued work on more than one GPU

  std::span<const RecordedCall> calls_of(const RecordedIteration& i) const {
    return std::span(calls).subspan(i.first_call, i.calls());
  }
};

/// Reads the newest iterations in [from, to), limited so that it takes only a moment, with the calls just before them
/// and those of the run's beginning. `gpu`: with several GPUs (trace::Owners::gpus), the one whose process is read;
/// kNobody: the first process with iterations.
Recording read_recording(const trace::Trace& trace, Nanoseconds from, Nanoseconds to,
                         const std::atomic<bool>* stop = nullptr, trace::GpuNumber gpu = trace::kNobody);

using analysis::Stretch;
/// Measured between the `done` times, so that it does not depend on whether the CPU runs ahead.
double mean_iteration_ns(const std::vector<RecordedIteration>& iterations, Stretch stretch);

}  // namespace lanescope::prediction
