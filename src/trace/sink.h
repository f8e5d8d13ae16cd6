// The interface through which events enter a trace.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "trace/event.h"
#include "trace/side_tables.h"

namespace lanescope::trace {

enum class LaneKind : std::uint8_t {
  Iterations,  ///< CPU: one range per iteration
  Phases,      ///< CPU: ranges inside an iteration, or any other named ranges of the program (may nest)
  Calls,       ///< CPU: CUDA API calls of one thread
  Kernels,     ///< GPU: kernels and memsets of one stream
  CopyH2D,     ///< GPU: copies of one stream, host to device
  CopyD2H,     ///< GPU: copies of one stream, device to host
  CopyOther,   ///< GPU: device to device, peer and other copies of one stream
  GpuRanges,   ///< GPU: ranges projected onto a stream; never counted as work
  Markers,     ///< instants: changed settings
  Counter,     ///< a sampled value
};
/// The lane's role in the program, in addition to its kind. Code decides by this; the lane's name is only for display.
enum class LaneRole : std::uint8_t {
  None,        ///< nothing more is known
  Statements,  ///< the phases of the loop, as in the program's code
  Helper,      ///< a thread that only serves the loop: a loader's worker, its pin thread
  Loss,        ///< a counter: the loss printed by the loop
};
inline constexpr std::size_t kLaneRoles = 4;
constexpr bool is_gpu_work_lane(LaneKind k) {
  return k == LaneKind::Kernels || k == LaneKind::CopyH2D || k == LaneKind::CopyD2H || k == LaneKind::CopyOther;
}
constexpr bool is_gpu_lane(LaneKind k) { return is_gpu_work_lane(k) || k == LaneKind::GpuRanges; }
constexpr bool is_cpu_lane(LaneKind k) {
  return k == LaneKind::Iterations || k == LaneKind::Phases || k == LaneKind::Calls;
}

/// The identity and owner of a lane. Two lanes with equal LaneInfo are the same lane.
struct LaneInfo {
  LaneKind kind = LaneKind::Phases;
  LaneRole role = LaneRole::None;
  std::string name;         ///< label shown to the left of the lane: "CUDA calls", "kernels", "loss"
  std::string process;      ///< the program: "lanescope", "python3.10"
  std::int64_t pid = 0;     ///< GPU lanes: the process that uses the GPU, as in the lanes of its calls
  std::int64_t tid = 0;     ///< CPU lanes: the thread
  std::int32_t device = 0;  ///< GPU lanes: the device's number
  std::int32_t stream = 0;  ///< GPU lanes: the stream's number
  /// The lane's events may be out of start order by up to this many events, because a range is written when it ends,
  /// after the ranges inside it. 0: the writer keeps start order itself.
  std::uint32_t reorder_window = 0;
  std::string host{};  ///< host name; empty if all lanes are from one machine
  /// CPU lanes: the thread's own name, if it says more than the program's: "pt_main_thread".
  std::string thread{};
  std::optional<int> rank{};  ///< of the process in a job of several

  bool operator==(const LaneInfo&) const = default;
};

/// Which part of a process's work is recorded, see trace/coverage.h. A process of which nothing is said is recorded
/// whole.
struct RecordingChange {
  enum class Act : std::uint8_t {
    Nothing,  ///< from the process's start on, nothing is recorded until a Begin
    Begin,    ///< from `time_ns` on the GPU's work is recorded, and from `calls_from_ns` on (not later) its calls
    End,      ///< they were recorded until `time_ns`; without a Begin before: from the start
    Bursts,   ///< for the words only: it is recorded for `time_ns`, every `calls_from_ns`
  };
  Act act = Act::Nothing;
  std::int64_t pid = 0;
  Nanoseconds time_ns = 0, calls_from_ns = 0;

  bool operator==(const RecordingChange&) const = default;
};

/// Writes events from one thread. All functions are lock-free and do not allocate.
class EventWriter {
 public:
  virtual ~EventWriter() = default;
  virtual void write(const Event& event) noexcept = 0;
  /// Promises that this writer will not write any more ranges that end before `t`, nor other events that start before
  /// `t`. (A range is written when it ends, so an open one may have begun long before.)
  virtual void complete_until(Nanoseconds t) noexcept = 0;
  /// In order with this writer's events and promises: a change at t must come before complete_until(t + 1). It is rare
  /// and is never dropped; if the queue is full, the thread waits for a place.
  virtual void recording(const RecordingChange&) noexcept {}
};

/// Registering names, launches and lanes is rare and may lock. Events are written through one writer per thread.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual LaneId lane(const LaneInfo& info) = 0;
  virtual NameId name(std::string_view text) = 0;
  /// The number of a kernel's launch for set_launch(). A sink that keeps none returns LaunchTable::kNone.
  virtual std::uint32_t launch(const LaunchShape&) { return LaunchTable::kNone; }
  virtual std::unique_ptr<EventWriter> open_writer() = 0;
};

}  // namespace lanescope::trace
