#include "app/terminal.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>

#include "base/control_characters.h"
#include "base/error.h"
#include "base/platform/paths.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "base/utf8.h"
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

/// How many bytes the control character there has; 0: there is none. A single byte from 0x80 on is one for terminals
/// that do not use UTF-8.
std::size_t control_at(std::string_view text, std::size_t i) {
  std::size_t end = i;
  const char32_t c = base::next_code_point(text, end);
  const bool control = c == base::kInvalidCodePoint ? static_cast<unsigned char>(text[i]) < 0xa0 : base::is_control(c);
  return control ? end - i : 0;
}

}  // namespace

void write_out(std::string_view text) {
  errno = 0;
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0) {
    throw base::FileError(base::tr("standard output: {}", base::system_error_text(errno)));
  }
}

void write_json(const std::string& json, std::string_view text) {
  if (json == "-") return is_terminal(stdout) ? write_words(text) : write_out(text);
  if (!json.empty()) io::write_text_file(base::path_of(json), text);
}

std::string for_terminal(std::string_view text) {
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
  return words;
}

void write_words(std::string_view text) { write_out(for_terminal(text)); }

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
