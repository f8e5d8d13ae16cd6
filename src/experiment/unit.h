// The units in which figures are published, and what can be turned into what.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::experiment {

/// "ms", "GB/s", "%", "x", "syncs": those that known_units() lists.
bool is_unit(std::string_view unit);
std::string known_units();  ///< for a message: "ns, us, ..."

/// 2.5 "ms" in "us" is 2500. Empty where one cannot be turned into the other, or is no unit. A plain number ("", "x")
/// is a count of anything, and 1 of a share is 100 %.
std::optional<double> convert(double value, std::string_view from, std::string_view to);

/// As a person reads it behind a number: "ms", "GB/s" as they are, "syncs" translated, "×".
std::string unit_in_words(std::string_view unit);

}  // namespace lanescope::experiment
