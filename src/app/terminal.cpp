#include "app/terminal.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>

#include "base/error.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::app {

void write_out(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw base::FileError(base::tr("standard output: {}", base::system_error_text(errno)));
  }
}

void write_json(const std::string& json, std::string_view text) {
  if (json == "-") return write_out(text);
  if (!json.empty()) io::write_text_file(json, text);
}

std::string one_line(std::string_view text) {
  std::string line(text);
  for (char& c : line) {
    if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
  }
  return line;
}

void say(std::string_view line) { fmt::print(stderr, "lanescope: {}\n", one_line(line)); }

bool is_terminal(std::FILE* stream) { return isatty(fileno(stream)) == 1; }

Style style_for(std::FILE* stream) {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  const bool dumb = term == nullptr || std::strcmp(term, "dumb") == 0;
  if (!is_terminal(stream) || dumb || (no_color != nullptr && *no_color != '\0')) return {};
  return {"\033[1m", "\033[2m", "\033[36m", "\033[0m"};
}

}  // namespace lanescope::app
