#include "app/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/error.h"
#include "base/platform/paths.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::app {

namespace {

constexpr Style kColours{"\033[1m", "\033[2m", "\033[36m", "\033[0m"};

/// The length of the sequence of a Style that the text begins with; 0: it does not.
std::size_t styled(std::string_view text) {
  for (const std::string_view known : {kColours.bold, kColours.dim, kColours.accent, kColours.off}) {
    if (text.starts_with(known)) return known.size();
  }
  return 0;
}

/// How many bytes the control character there has: those of ASCII, and in UTF-8 those from U+0080 to U+009F, which some
/// terminals take for commands as well. 0: there is none.
std::size_t control_at(std::string_view text, std::size_t i) {
  const auto byte = [&](std::size_t k) { return static_cast<unsigned char>(text[k]); };
  if (byte(i) < 0x20 || byte(i) == 0x7f) return 1;
  return byte(i) == 0xc2 && i + 1 < text.size() && byte(i + 1) >= 0x80 && byte(i + 1) < 0xa0 ? 2 : 0;
}

}  // namespace

void write_out(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw base::FileError(base::tr("standard output: {}", base::system_error_text(errno)));
  }
}

void write_json(const std::string& json, std::string_view text) {
  if (json == "-") return write_out(text);
  if (!json.empty()) io::write_text_file(base::path_of(json), text);
}

void write_words(std::string_view text) {
  std::string words;
  words.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = styled(text.substr(i));
    if (length > 0) {
      words += text.substr(i, length);
      i += length;
    } else if (const std::size_t control = control_at(text, i); control > 0 && text[i] != '\n') {
      words += ' ';
      i += control;
    } else {
      words += text[i++];
    }
  }
  write_out(words);
}

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t control = control_at(text, i);
    line += control > 0 ? ' ' : text[i];
    i += std::max<std::size_t>(1, control);
  }
  return line;
}

void say(std::string_view line) { fmt::print(stderr, "lanescope: {}\n", one_line(line)); }

bool is_terminal(std::FILE* stream) { return base::is_terminal(stream); }

Style style_for(std::FILE* stream) {
  return base::environment("NO_COLOR").empty() && base::has_colours(stream) ? kColours : Style{};
}

}  // namespace lanescope::app
