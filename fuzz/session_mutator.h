// Mutates a session file as what it is: chunks, whose checksums it sets right. Bytes alone would hardly pass them.
#pragma once

#include <string>
#include <string_view>

#include "foreign.h"

namespace lanescope::fuzz {

std::string mutated_session(std::string_view bytes, Dice& dice);

}  // namespace lanescope::fuzz
