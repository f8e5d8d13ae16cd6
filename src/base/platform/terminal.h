// What the standard streams are connected to.
#pragma once

#include <cstdio>

namespace lanescope::base {

/// Call first: bytes go through the standard streams unchanged, and a terminal shows UTF-8 and colours.
void prepare_streams();
bool is_terminal(std::FILE* stream);
/// It shows escape sequences.
bool has_colours(std::FILE* stream);

}  // namespace lanescope::base
