// What a person types to go somewhere: "12.5 ms", "+5 ms", "412", "iteration 412".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::ui {

struct TypedDestination {
  enum class Kind : std::uint8_t { Nothing, Time, Relative, Iteration, Unreadable } kind = Kind::Nothing;
  base::Nanoseconds ns = 0;  ///< Time: from the run's beginning; Relative: from where the view is
  std::uint32_t iteration = 0;
};

/// Times need a unit (ns, us or µs, ms, s, min, h); a sign makes them relative. A whole number without one, or with "i"
/// or "iteration" before it, is an iteration. Case and spaces do not matter; a comma before three digits is a
/// thousands separator, as the window writes it, any other a decimal point.
TypedDestination parse_destination(std::string_view text);

/// A time of the run with all its digits (beyond a second, to the microsecond): "12.345 ms".
std::string time_in_full(base::Nanoseconds ns);

}  // namespace lanescope::ui
