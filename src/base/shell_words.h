// Commands to be copied into a shell, or run by the shell of another machine.
#pragma once

#include <string>
#include <vector>

namespace lanescope::base {

/// The words of a command, quoted where a POSIX shell needs it: no word of it is more than one word there.
std::string shell_words(const std::vector<std::string>& words);

}  // namespace lanescope::base
