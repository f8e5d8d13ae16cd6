// What a card's cure looks like in the user's own line, as text to copy.
#pragma once

#include <string>

#include "analysis/advisor.h"

namespace lanescope::analysis {

/// "train.py:41", then "- " the line and "+ " what replaces it, then a pattern: Python with comments, for what no line
/// can be changed into mechanically. A line in doubt (cut off, several statements) gets the pattern alone. Empty: the
/// card costs nothing, names no line of a Python program, or has no such cure.
std::string fix_for(const Card& card);

}  // namespace lanescope::analysis
