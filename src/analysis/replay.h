// What an iteration would take if the program were changed: the recorded calls and operations are replayed in virtual
// time, with and without the edits (edit.h). The idea is Daydream's (Zhu et al., "Daydream: Accurately Estimating
// the Efficacy of Optimizations for DNN Training", USENIX ATC 2020): change the recorded graph of dependencies, not a
// model.
//
// What is kept as it was recorded, but for what an edit changes: the CPU's time between calls, the calls' own time, the
// operations' durations. Recording in bursts slows the calls of a program that launches much: from each call as much is
// taken off as makes the replay as fast as the program is between bursts.
// What is worked out anew: when an operation starts (after its call, and after the operation before it on its stream or
// one that it waited for on another), and when a wait ends (when the operation that it waited for ends).
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/edit.h"
#include "analysis/whole_iterations.h"
#include "trace/trace.h"

namespace lanescope::analysis {

struct WhatIf {
  std::string refusal;          ///< why there is no answer: one sentence; empty: there is one
  std::int64_t iterations = 0;  ///< replayed: those that were recorded as a whole
  double recorded_ns = 0;       ///< an iteration, without what recording adds
  double replayed_ns = 0;       ///< as replayed unchanged: how far the replay can be trusted
  double without_ns = 0;        ///< as replayed with the edits; of waits that go, their calls stay
  double gone_ns = 0;           ///< and also without these calls, and what they were for: the whole statement
  /// How many times as fast the program would be, from the one to the other. Both ends are wider by the error of the
  /// replay and by how much the program's speed wandered while it was recorded.
  double least_factor = 1, most_factor = 1;
  double assumed_gb_per_s = 0;  ///< Link::assumed, and it matters

  bool operator==(const WhatIf&) const = default;
};
/// With what was asked.
struct AskedWhatIf {
  std::vector<Edit> edits;
  WhatIf answer;

  bool operator==(const AskedWhatIf&) const = default;
};
/// An iteration as it was recorded, and as it is replayed from the same instant on.
struct ReplayedIteration {
  /// An instant of the threads that issue work; between two of them, time passes in proportion.
  struct Moment {
    Nanoseconds recorded_ns = 0, replayed_ns = 0;
  };
  struct Operation {
    trace::NameId name = 0;
    Nanoseconds recorded_ns = 0;  ///< its start
    Nanoseconds start_ns = 0, end_ns = 0;
  };

  TimeSpan recorded;
  Nanoseconds end_ns = 0;   ///< as replayed, at the pace of all iterations
  std::vector<Moment> cpu;  ///< ascending, from its beginning to its end
  /// That its calls issue. Where the CPU runs ahead, earlier by whole iterations, so that they are what the GPU does
  /// meanwhile.
  std::vector<Operation> operations;

  Nanoseconds replayed(Nanoseconds recorded_ns) const;  ///< an instant of `cpu`
};
/// If the replay of an unchanged recording is further off than this, it answers nothing.
inline constexpr double kReplayFidelity = 0.05;

class Replay {
 public:
  /// Reads the whole iterations of [from, to) but those in `left_out` (ascending); at most about `kMostEvents` events.
  /// `gpu` as for gather().
  Replay(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu = trace::kNobody,
         const std::atomic<bool>* stop = nullptr, std::span<const TimeSpan> left_out = {});

  /// With all of these edits. `link`: what is known of the machine's.
  WhatIf with(std::span<const Edit> edits, const Link& link = {}) const;
  /// Without the waits of the calls in these ranges of the program (CallSite::range).
  WhatIf without(trace::NameId range) const;
  /// With all of these edits, an iteration of the usual length; empty: they cannot be made.
  std::optional<ReplayedIteration> iteration(std::span<const Edit> edits, const Link& link) const;

  static constexpr std::size_t kMostEvents = 400'000;

 private:
  friend class ReplayReader;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Operation {
    std::size_t stream = 0;
    Nanoseconds recorded = 0;  ///< its start
    Nanoseconds duration = 0;
    Nanoseconds after_call = 0;      ///< it starts no earlier after its call's start
    Nanoseconds after_previous = 0;  ///< and after the end of the operation before it on its stream
    std::size_t after = kNone;       ///< and after the end of this one, on another stream
    trace::NameId name = 0;
    trace::LaneKind kind = trace::LaneKind::Kernels;
    trace::MemoryKind source = trace::MemoryKind::Unknown;  ///< of a copy
    std::uint64_t bytes = 0;
    bool ahead = false;  ///< issued at the beginning of the iteration before
  };
  enum class KeptPart : std::uint8_t { All, CallOnly, Nothing };
  /// The thread waits for data, which may take several parts of the CPU's time.
  struct Loading {
    Nanoseconds here = 0;     ///< of this part
    Nanoseconds all = 0;      ///< of the waits that end in it, also what lies before
    Nanoseconds arrival = 0;  ///< of their data, after the data before it; 0: not known
  };
  struct Call {
    TimeSpan recorded;
    Nanoseconds gap = 0;  ///< the CPU's time since the call before it, or since the iteration's beginning
    Nanoseconds before = 0, own = 0, after = 0;  ///< in its range before the call, in the call, and to its range's end
    std::size_t awaited = kNone;                 ///< operation
    Nanoseconds returning = 0;                   ///< from the end of that until the call's return
    Nanoseconds fixed_wait = 0;                  ///< for something that is not known
    trace::NameId range = 0, name = 0;
    bool sync = false;  ///< its nature is to wait
    std::size_t first_operation = 0, operations = 0;
    Loading loading;  ///< in the gap before it
    // As edited:
    KeptPart kept = KeptPart::All;
    std::uint32_t every = 0;  ///< of iterations that read here, one in so many keeps all of it; 0: none
    bool late = false;        ///< it waits for what it waited for an iteration ago
  };
  struct Iteration {
    std::size_t first_call = 0, calls = 0;
    Nanoseconds rest = 0;  ///< from the last call to its end
    TimeSpan recorded;
    Nanoseconds duration = 0;  ///< of that, or of the GPU's work if that sets the pace
    Loading loading;           ///< in the rest
  };
  /// What is replayed.
  struct Program {
    std::vector<Operation> operations;  ///< by call, in the order in which they started
    std::vector<Call> calls;
    std::vector<Iteration> iterations;
    std::size_t streams = 0;
    bool data_arrives = false;  ///< a wait for data ends when it arrives, else it lasts as long as recorded
  };
  class Editor;

  void read(Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu, const std::atomic<bool>* stop,
            std::span<const TimeSpan> left_out);
  void take_off_recording(double unwatched_ns);
  struct Watched {
    std::size_t iteration;
    ReplayedIteration& seen;
  };
  double pace(const Program& program, const Watched* watched = nullptr) const;
  static std::string make(std::span<const Edit> edits, Editor& editor);
  bool only_reads(const Call& call) const;
  double error() const;
  template <class Edit>
  WhatIf answer(const Link& link, const Edit& edit) const;

  const trace::Trace& trace_;
  Program program_;
  Nanoseconds latency_ = 0, pause_ = 0;  // usual from a call to its operation, and between two of a stream
  double recorded_ns_ = 0, replayed_ns_ = 0;
  double taken_off_ = 0;  // of an iteration as it was recorded, this share
  std::string refusal_;
};

}  // namespace lanescope::analysis
