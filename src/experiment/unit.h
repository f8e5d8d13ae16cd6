// The units of published figures, and conversions between them.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace lanescope::experiment {

/// True for those listed by known_units(): "ms", "GB/s", "%", "x", "syncs".
bool is_unit(std::string_view unit);
std::string known_units();  ///< for a message: "ns, us, ..."

/// 2.5 "ms" in "us" is 2500. Empty if the units are unknown or not convertible. A plain number ("", "x") is a count of
/// anything; as a share, 1 is 100 %.
std::optional<double> convert(double value, std::string_view from, std::string_view to);

bool is_time(std::string_view unit);   ///< "ns", "ms"
bool is_rate(std::string_view unit);   ///< "GB/s", "iterations/s"
bool is_share(std::string_view unit);  ///< "%", "fraction"

/// The unit as displayed after a number: "ms" and "GB/s" unchanged, "syncs" translated, "×" for "x".
std::string unit_in_words(std::string_view unit);

}  // namespace lanescope::experiment
