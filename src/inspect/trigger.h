// The trigger of a live view: the times to which the view is aligned.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

enum class TriggerSource : std::uint8_t {
  Iteration,  ///< start of an iteration; of a process that is recorded in bursts, of one in a burst
  Name,       ///< start of an API call, a range or a kernel with a chosen name
  LongWait,   ///< start of a call that waits for the GPU longer than `wait_over_ns`, or of a host wait for data
};

/// A value: the settings of the trigger panel.
struct TriggerSettings {
  TriggerSource source = TriggerSource::Iteration;
  std::string name;                    ///< for Name: "cudaMemcpyAsync", "item()"
  Nanoseconds wait_over_ns = 100'000;  ///< for LongWait
  Nanoseconds hold_off_ns = 0;         ///< minimum trace time from one trigger to the next

  bool operator==(const TriggerSettings&) const = default;
  /// True if both fire at the same times.
  bool fires_like(const TriggerSettings& other) const {
    return source == other.source && name == other.name && wait_over_ns == other.wait_over_ns &&
           hold_off_ns == other.hold_off_ns;
  }
};

/// The newest times in [from, to] at which the trigger fires, oldest first, at most `most`. Examines about `limit`
/// events at most, from the newest back, so that its cost is bounded.
///
/// As on an oscilloscope, the hold-off counts from the first event of a burst, so that of several candidates in an
/// iteration always the same one fires. An event at least a hold-off after the previous one starts a new burst.
std::vector<Nanoseconds> newest_triggers(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds from,
                                         Nanoseconds to, std::size_t most, std::size_t limit = 50'000);
inline std::optional<Nanoseconds> newest_trigger(const trace::Trace& trace, const TriggerSettings& settings,
                                                 Nanoseconds from, Nanoseconds to) {
  const auto found = newest_triggers(trace, settings, from, to, 1);
  return found.empty() ? std::nullopt : std::optional(found.back());
}

/// The longest time from one burst to the next; 0: no process is recorded in bursts.
Nanoseconds burst_period(const trace::Trace& trace);

/// Tracks the newest times at which the trigger has fired during a run.
class TriggerWatch {
 public:
  static constexpr std::size_t kKept = 256;

  void clear() { fired_.clear(); }
  void set(std::vector<Nanoseconds> fired) { fired_ = std::move(fired); }  ///< for a trace that does not grow
  /// Searches up to `to`, which may decrease when the view gets wider.
  void look(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds to);
  const std::vector<Nanoseconds>& fired() const { return fired_; }  ///< oldest first
  std::optional<Nanoseconds> newest_until(Nanoseconds t) const;
  /// The same; of the newest few preferably one after which all is recorded for so long.
  std::optional<Nanoseconds> newest_until(Nanoseconds t, const trace::Trace& trace, Nanoseconds recorded_for) const;

 private:
  std::vector<Nanoseconds> fired_;
};

/// A name that can be chosen as a trigger.
struct TriggerName {
  trace::LaneKind kind = trace::LaneKind::Calls;  ///< Calls, Phases (all ranges) or Kernels
  std::string name;

  auto operator<=>(const TriggerName&) const = default;
};
/// The names of calls, ranges and kernels among the newest `per_row` events of each row, and in samples of older ones.
/// Calls first; each kind in alphabetical order.
std::vector<TriggerName> trigger_names(const trace::Trace& trace, std::size_t per_row = 2000);

/// "iteration start", "item()", "wait > 5 ms".
std::string trigger_text(const TriggerSettings& settings);
/// "no iteration", "no item()", "no wait longer than 5 ms"; translated.
std::string no_trigger_text(const TriggerSettings& settings);

/// 1, 2 and 5 times the powers of ten between `least` and `most`, for thresholds and hold-offs.
std::vector<Nanoseconds> time_steps(Nanoseconds least, Nanoseconds most);

}  // namespace lanescope::ui
