#include "app/terminal_output.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <utility>

#include "base/error.h"
#include "base/plain_text.h"
#include "base/platform/paths.h"
#include "base/platform/terminal.h"
#include "base/time.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::app {
namespace {

// Collapses white space to single spaces between words.
std::string single_spaced(std::string_view text) {
  std::string out;
  for (const char c : text) {
    if (c != ' ' && c != '\n' && c != '\t') {
      out += c;
    } else if (!out.empty() && out.back() != ' ') {
      out += ' ';
    }
  }
  return out;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  std::size_t width = 0;
  for (std::size_t i = 0; i < text.size();) {
    const bool continuation = (static_cast<unsigned char>(text[i]) & 0xC0) == 0x80;
    const char32_t letter = base::next_code_point(text, i);
    if (!continuation) width += base::is_wide(letter) ? 2 : 1;
  }
  return width;
}

std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width) {
  const auto columns = [](std::string_view letter) { return static_cast<float>(display_width(letter)); };
  const std::string text =
      base::wrap(single_spaced(paragraph), static_cast<float>(width), columns, base::LongWords::Keep);
  std::vector<std::string> lines{{}};
  for (const char c : text) {
    if (c == '\n') {
      lines.emplace_back();
    } else {
      lines.back() += c;
    }
  }
  return lines;
}

// --- terminal --------------------------------------------------------------------------------------------------------

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

// --- progress --------------------------------------------------------------------------------------------------------

namespace {

constexpr std::chrono::milliseconds kMoment{500};
constexpr std::chrono::milliseconds kRedraw{100};
constexpr const char* kWipe = "\r\033[K";

}  // namespace

std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, double elapsed_s,
                          const std::string& noun) {
  constexpr std::size_t kWidth = 24;
  const double fraction = total == 0 ? 1.0 : std::min(1.0, static_cast<double>(done) / static_cast<double>(total));
  const auto full = static_cast<std::size_t>(fraction * kWidth);
  std::string line = base::tr(
      "{}  [{}{}] {:3.0f} %  {} of {} {}", label, std::string(full, '#'), std::string(kWidth - full, '.'),
      std::floor(fraction * 100), base::format_count(static_cast<std::int64_t>(done)),
      base::format_count(static_cast<std::int64_t>(total)), noun.empty() ? base::tr("iterations") : noun.c_str());
  if (fraction > 0) {
    line += base::tr(", {:.0f} s left", std::ceil(elapsed_s / fraction - elapsed_s));
  }
  return line;
}

Progress::Progress(std::string label, std::uint64_t total, std::string noun)
    : label_(std::move(label)), total_(total), noun_(std::move(noun)), shown_(is_terminal(stderr)) {}

Progress::~Progress() {
  if (drawn_ != Clock::time_point{}) std::fputs(kWipe, stderr);
}

void Progress::update(std::uint64_t done) {
  const Clock::time_point now = Clock::now();
  if (!shown_ || now - started_ < kMoment || now - drawn_ < kRedraw) return;
  drawn_ = now;
  const double elapsed_s = std::chrono::duration<double>(now - started_).count();
  fmt::print(stderr, "{}{}", kWipe, progress_line(label_, done, total_, elapsed_s, noun_));
  std::fflush(stderr);
}

}  // namespace lanescope::app
