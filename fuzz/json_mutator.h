// Mutates a Chrome trace as what it is: a list of events with keys and numbers.
#pragma once

#include <string>
#include <string_view>

#include "foreign.h"

namespace lanescope::fuzz {

/// Empty for what is no JSON, and at times otherwise: the caller then mutates bytes.
std::string mutated_json(std::string_view text, Dice& dice);

}  // namespace lanescope::fuzz
