// What an iteration would take if the program did not wait at one place: the recorded calls and operations are replayed
// in virtual time, with and without those waits. The idea is Daydream's (Zhu et al., "Daydream: Accurately Estimating
// the Efficacy of Optimizations for DNN Training", USENIX ATC 2020): change the recorded graph of dependencies, not a
// model.
//
// What is kept as it was recorded: the CPU's time between calls, the calls' own time, the operations' durations.
// What is worked out anew: when an operation starts (after its call, and after the operation before it on its stream or
// one that it waited for on another), and when a wait ends (when the operation that it waited for ends).
#pragma once

#include <atomic>
#include <cstdint>
#include <limits>
#include <string>
#include <vector>

#include "analysis/whole_iterations.h"
#include "trace/trace.h"

namespace lanescope::analysis {

struct WithoutWait {
  std::string refusal;          ///< why there is no answer: one sentence; empty: there is one
  std::int64_t iterations = 0;  ///< replayed: those that were recorded as a whole
  double recorded_ns = 0;       ///< an iteration as recorded
  double replayed_ns = 0;       ///< as replayed with all its waits: how far the replay can be trusted
  double without_ns = 0;        ///< as replayed without these waits
  double gone_ns = 0;           ///< and also without the calls that waited, and what they were for: the whole statement
  /// How many times as fast the program would be: from waiting no longer to not even asking. Both ends are wider by the
  /// error of the replay and by how much the program's speed wandered while it was recorded.
  double least_factor = 1, most_factor = 1;

  bool operator==(const WithoutWait&) const = default;
};
/// If the replay of an unchanged recording is further off than this, it answers nothing.
inline constexpr double kReplayFidelity = 0.05;

class Replay {
 public:
  /// Reads the whole iterations of [from, to); at most about `kMostEvents` events. `gpu` as for gather().
  Replay(const trace::Trace& trace, Nanoseconds from, Nanoseconds to, trace::GpuNumber gpu = trace::kNobody,
         const std::atomic<bool>* stop = nullptr);

  /// Without the waits of the calls in these ranges of the program (CallSite::range).
  WithoutWait without(trace::NameId range) const;

  static constexpr std::size_t kMostEvents = 400'000;

 private:
  friend class ReplayReader;
  static constexpr std::size_t kNone = std::numeric_limits<std::size_t>::max();

  struct Operation {
    std::size_t stream = 0;
    Nanoseconds duration = 0;
    Nanoseconds after_call = 0;      ///< it starts no earlier after its call's start
    Nanoseconds after_previous = 0;  ///< and after the end of the operation before it on its stream
    std::size_t after = kNone;       ///< and after the end of this one, on another stream
    bool download = false;           ///< a copy to the host
  };
  struct Call {
    Nanoseconds gap = 0;  ///< the CPU's time since the call before it, or since the iteration's beginning
    Nanoseconds before = 0, own = 0, after = 0;  ///< in its range before the call, in the call, and to its range's end
    std::size_t awaited = kNone;                 ///< operation
    Nanoseconds returning = 0;                   ///< from the end of that until the call's return
    Nanoseconds fixed_wait = 0;                  ///< for something that is not known
    trace::NameId range = 0;
    std::size_t first_operation = 0, operations = 0;
  };
  struct Iteration {
    std::size_t first_call = 0, calls = 0;
    Nanoseconds rest = 0;      ///< from the last call to its end
    Nanoseconds duration = 0;  ///< as recorded
  };

  enum class KeptPart : std::uint8_t { All, CallOnly, Nothing };
  template <class Keep>
  double pace(const Keep& keep) const;
  bool only_reads(const Call& call) const;
  double error() const;

  std::vector<Operation> operations_;  // by call, in the order in which they started
  std::vector<Call> calls_;
  std::vector<Iteration> iterations_;
  std::size_t streams_ = 0;
  double recorded_ns_ = 0, replayed_ns_ = 0;
  std::string refusal_;
};

}  // namespace lanescope::analysis
