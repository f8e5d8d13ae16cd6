// What a picture of a live run is aligned to: the instants at which the trigger fires.
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
  Iteration,  ///< the start of an iteration
  Name,       ///< the start of an API call, a range or a kernel of a chosen name
  LongWait,   ///< a call that waits for the GPU longer than `wait_over_ns`, or a wait of the host for data, has begun
};

/// A value; what a person set in the trigger panel.
struct TriggerSettings {
  TriggerSource source = TriggerSource::Iteration;
  std::string name;                    ///< for Name: "cudaMemcpyAsync", "item()"
  Nanoseconds wait_over_ns = 100'000;  ///< for LongWait
  Nanoseconds hold_off_ns = 0;         ///< after it has fired, it does not fire again for so long (trace time)
  double pre_trigger = 0;              ///< the share of the view's width that lies before the instant, 0 to 0.9
  bool automatic = true;               ///< without a trigger for two seconds the picture rolls on; else it stands

  bool operator==(const TriggerSettings&) const = default;
  /// Both fire at the same instants.
  bool fires_like(const TriggerSettings& other) const {
    return source == other.source && name == other.name && wait_over_ns == other.wait_over_ns &&
           hold_off_ns == other.hold_off_ns;
  }
};

inline constexpr double kMostPreTrigger = 0.9;

/// The newest instants in [from, to] at which the trigger fires, oldest first, at most `most`. Looks at about `limit`
/// events at most, from the newest back, so that its cost has a bound.
///
/// The hold-off counts from the first of a burst on, as on an oscilloscope, so that of several triggers in an iteration
/// it is always the same one that fires: whatever comes at least a hold-off after the one before it is a first.
std::vector<Nanoseconds> newest_triggers(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds from,
                                         Nanoseconds to, std::size_t most, std::size_t limit = 50'000);
inline std::optional<Nanoseconds> newest_trigger(const trace::Trace& trace, const TriggerSettings& settings,
                                                 Nanoseconds from, Nanoseconds to) {
  const auto found = newest_triggers(trace, settings, from, to, 1);
  return found.empty() ? std::nullopt : std::optional(found.back());
}

/// The instants at which the trigger has fired, followed while a run goes on: the newest of them.
class TriggerWatch {
 public:
  static constexpr std::size_t kKept = 256;

  void clear() { fired_.clear(); }
  void set(std::vector<Nanoseconds> fired) { fired_ = std::move(fired); }  ///< of a trace that does not grow
  /// Looks for what has fired up to `to`, which may go back when the view gets wider.
  void look(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds to);
  const std::vector<Nanoseconds>& fired() const { return fired_; }  ///< oldest first
  std::optional<Nanoseconds> newest_until(Nanoseconds t) const;

 private:
  std::vector<Nanoseconds> fired_;
};

/// A name that a person can choose to trigger on.
struct TriggerName {
  trace::LaneKind kind = trace::LaneKind::Calls;  ///< Calls, Phases (all ranges) or Kernels
  std::string name;

  auto operator<=>(const TriggerName&) const = default;
};
/// The names of calls, ranges and kernels that occur among the newest `per_row` events of each row, and in samples of
/// what is older; calls first, each kind in order of the alphabet.
std::vector<TriggerName> trigger_names(const trace::Trace& trace, std::size_t per_row = 2000);

/// "iteration start", "item()", "wait > 5 ms".
std::string trigger_text(const TriggerSettings& settings);
/// "no iteration", "no item()", "no wait longer than 5 ms".
std::string no_trigger_text(const TriggerSettings& settings);

/// 1, 2 and 5 times the powers of ten between `least` and `most`: what thresholds and hold-offs step through.
std::vector<Nanoseconds> time_steps(Nanoseconds least, Nanoseconds most);

}  // namespace lanescope::ui
