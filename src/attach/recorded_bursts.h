// When a process's calls and the GPU's work are recorded, from what its library says: the bursts.
//
//   On ────────── first operation ───────────────────────────── Off                calls are recorded from On to Off
//    └ what was launched before still runs └ the GPU is known from here to Off     Delivered says how far it has come
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <optional>
#include <utility>

#include "base/time.h"
#include "inject/wire.h"
#include "trace/coverage.h"
#include "trace/sink.h"

namespace lanescope::attach {

using base::Nanoseconds;

/// The bursts of a job's rank. Each rank has a recorder that asks no other one, and measures something of its own; yet
/// what one records, all are to record. So they decide only at times that all know, when none records, and choose among
/// few periods, each four times another one, with which it begins. What they choose for its cost changes the period
/// alone: who spares more records some of the others' bursts, and those whole.
class JobBursts {
 public:
  struct Wanted {
    Nanoseconds burst_ns = 0;  ///< none shorter, if that can be
    double share = 0;          ///< of the time
    double slower = 0;         ///< by so much a burst makes the program slower; a share
    double most_cost = 0;      ///< of the time, that bursts may cost
  };
  trace::Bursts at(Nanoseconds time_of_day_ns, const Wanted& wanted);

 private:
  Nanoseconds turn_ = 0;
  double slower_ = 0, share_ = 0, most_cost_ = 0;
  trace::Bursts bursts_;
};

class RecordedBursts {
 public:
  /// `said`: what is to be written to the trace, for process `pid`.
  RecordedBursts(std::int64_t pid, std::function<void(const trace::RecordingChange&)> said);

  /// True if recording began or ended with this message.
  bool take(wire::RecordingAct act, Nanoseconds t);
  /// An operation has come, perhaps after its burst's end. Only of one from whose start on all that runs is known.
  void operation(Nanoseconds start_ns, Nanoseconds end_ns);
  /// A synchronisation after which nothing had run: nothing was left from before the burst.
  void nothing_ran(Nanoseconds start_ns, Nanoseconds end_ns);
  /// How the bursts are to be, for the words that explain the gaps; 0, 0: there are none.
  void set(Nanoseconds burst_ns, Nanoseconds period_ns);
  /// The process has ended.
  void finish();

  bool on() const { return on_; }
  Nanoseconds delivered_ns() const { return delivered_ns_; }
  /// Whether a call that ends then has records of what it did. Of one that was under way at a burst's end that is not
  /// certain.
  bool recorded(Nanoseconds end_ns) const { return on_ || (off_ns_ != 0 && end_ns <= off_ns_); }
  /// What starts then is wholly within this burst or after the last one.
  bool within(Nanoseconds start_ns) const { return on_ && start_ns >= on_ns_; }
  bool after(Nanoseconds start_ns) const { return !on_ && off_ns_ != 0 && start_ns >= off_ns_; }
  /// Until when all work of the GPU's that is recorded has come, at most `now_ns`. A burst's is waited for 2 s.
  Nanoseconds complete_until(Nanoseconds now_ns);

 private:
  void gpu_known();

  const std::int64_t pid_;
  std::function<void(const trace::RecordingChange&)> said_;
  bool on_ = false;
  Nanoseconds on_ns_ = 0, off_ns_ = 0;
  Nanoseconds delivered_ns_ = 0;  // all work of the GPU's before has come, while it is recorded
  // From the burst's beginning until its first operation has come. Until then nothing after that time is complete.
  std::optional<Nanoseconds> awaits_since_;
  Nanoseconds first_operation_ns_ = std::numeric_limits<Nanoseconds>::max();  // since then
  std::pair<Nanoseconds, Nanoseconds> wanted_{0, 0};
};

}  // namespace lanescope::attach
