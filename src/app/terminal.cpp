#include "app/terminal.h"

#include <fmt/format.h>

#include <cerrno>

#include "base/error.h"
#include "base/plain_text.h"
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

/// Appends the next character, or a space if it is a control character, and goes on to the one after it. A single byte
/// from 0x80 on is a control character for terminals that do not use UTF-8.
void append_next(std::string& out, std::string_view text, std::size_t& i, bool lines) {
  const std::size_t begin = i;
  const char32_t c = base::next_code_point(text, i);
  const bool control =
      c == base::kInvalidCodePoint ? static_cast<unsigned char>(text[begin]) < 0xa0 : base::is_control(c);
  out += control && !(lines && c == '\n') ? std::string_view(" ") : text.substr(begin, i - begin);
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
  if (!json.empty()) io::write_text_file(json, text);
}

std::string for_terminal(std::string_view text) {
  std::string words;
  words.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) {
    const std::size_t length = styled(text.substr(i));
    if (length > 0) {
      words += text.substr(i, length);
      i += length;
    } else {
      append_next(words, text, i, true);
    }
  }
  return words;
}

void write_words(std::string_view text) { write_out(for_terminal(text)); }

std::string one_line(std::string_view text) {
  std::string line;
  line.reserve(text.size());
  for (std::size_t i = 0; i < text.size();) append_next(line, text, i, false);
  return line;
}

void say(std::string_view line) { fmt::print(stderr, "lanescope: {}\n", one_line(line)); }

bool is_terminal(std::FILE* stream) { return base::is_terminal(stream); }

Style style_for(std::FILE* stream) {
  return base::environment("NO_COLOR").empty() && base::has_colours(stream) ? kColours : Style{};
}

}  // namespace lanescope::app
