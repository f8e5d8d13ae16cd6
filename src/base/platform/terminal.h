// What the standard streams are connected to.
#pragma once

#include <cstdio>

namespace lanescope::base {

bool is_terminal(std::FILE* stream);
/// It shows escape sequences.
bool has_colours(std::FILE* stream);

}  // namespace lanescope::base
