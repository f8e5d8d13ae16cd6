// What a picture of a live run is aligned to: the instants at which the trigger fires.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "trace/trace.h"

namespace lanescope::ui {

using base::Nanoseconds;

enum class TriggerSource : std::uint8_t {
  Iteration,  ///< the start of an iteration
  Name,       ///< the start of an API call or a range of a chosen name
  LongWait,   ///< a wait longer than `wait_over_ns` has begun
};

/// A value; what a person set in the trigger panel.
struct TriggerSettings {
  TriggerSource source = TriggerSource::Iteration;
  std::string name;                    ///< for Name: "cudaMemcpyAsync", "item()"
  Nanoseconds wait_over_ns = 100'000;  ///< for LongWait
  Nanoseconds hold_off_ns = 0;         ///< after it has fired, it does not fire again for so long (trace time)
  double pre_trigger = 0;              ///< the share of the view's width that lies before the instant, 0 to 0.9

  bool operator==(const TriggerSettings&) const = default;
};

/// The newest instants in [from, to] at which the trigger fires, oldest first, at most `most`. The hold-off counts
/// backwards from the newest. Searches at most `limit` events back, so that its cost has a bound.
std::vector<Nanoseconds> newest_triggers(const trace::Trace& trace, const TriggerSettings& settings, Nanoseconds from,
                                         Nanoseconds to, std::size_t most, std::size_t limit = 50'000);
inline std::optional<Nanoseconds> newest_trigger(const trace::Trace& trace, const TriggerSettings& settings,
                                                 Nanoseconds from, Nanoseconds to) {
  const auto found = newest_triggers(trace, settings, from, to, 1);
  return found.empty() ? std::nullopt : std::optional(found.back());
}

}  // namespace lanescope::ui
