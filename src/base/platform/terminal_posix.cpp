#include <unistd.h>

#include "base/platform/paths.h"
#include "base/platform/terminal.h"

namespace lanescope::base {

bool is_terminal(std::FILE* stream) { return ::isatty(::fileno(stream)) == 1; }

bool has_colours(std::FILE* stream) {
  const std::string term = environment("TERM");
  return is_terminal(stream) && !term.empty() && term != "dumb";
}

}  // namespace lanescope::base
