// Parses the user's input in "go to": "12.5 ms", "+5 ms", "412", "iteration 412".
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "base/time.h"

namespace lanescope::ui {

struct TypedDestination {
  enum class Kind : std::uint8_t { Nothing, Time, Relative, Iteration, Unreadable } kind = Kind::Nothing;
  base::Nanoseconds ns = 0;  ///< Time: from the start of the run; Relative: from the current view
  std::uint32_t iteration = 0;
};

/// Times need a unit (ns, us or µs, ms, s, min, h); a sign makes them relative. An integer without a unit, or after "i"
/// or "iteration", is an iteration number. Case and spaces do not matter. A comma before three digits is a thousands
/// separator, as displayed by the window; any other is a decimal point. Never throws.
TypedDestination parse_destination(std::string_view text);

/// A time of the run with all its digits (above a second, to the microsecond): "12.345 ms".
std::string time_in_full(base::Nanoseconds ns);

}  // namespace lanescope::ui
