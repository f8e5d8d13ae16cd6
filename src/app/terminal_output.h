// Standard output and the capabilities of its terminal; the width of texts there; progress on standard error.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::app {

/// The number of terminal columns of a UTF-8 text; a Chinese character takes two.
std::size_t display_width(std::string_view text);

/// Wraps a paragraph to lines of at most `width` columns (a single word may be wider). Chinese may break between any
/// two characters, except before closing punctuation and after an opening bracket.
std::vector<std::string> wrapped(std::string_view paragraph, std::size_t width);

// --- terminal --------------------------------------------------------------------------------------------------------
// Standard output, and the capabilities of its terminal.

/// Writes to standard output and flushes. Throws base::FileError if that fails (a full disk behind a redirection).
void write_out(std::string_view text);

/// What could steer a terminal and is not of a Style becomes a space, whatever names a file contains.
std::string for_terminal(std::string_view text);

/// write_out() for words and tables: of for_terminal().
void write_words(std::string_view text);

/// Writes to standard output if `json` is "-", otherwise to that path. A terminal gets for_terminal() of it, everything
/// else the exact bytes. Throws base::FileError.
void write_json(const std::string& json, std::string_view text);

/// Replaces line breaks and other control characters, so that the text stays one line on any terminal.
std::string one_line(std::string_view text);

/// Prints a line on standard error, after the program's name.
void say(std::string_view line);

/// Escape sequences; all empty without colours.
struct Style {
  std::string_view bold, dim, accent, off;
};
/// Colours only on a terminal, and never if NO_COLOR is set (no-color.org) or TERM is "dumb".
Style style_for(std::FILE* stream);

bool is_terminal(std::FILE* stream);

// --- progress --------------------------------------------------------------------------------------------------------
// A progress bar on standard error.

/// Draws nothing if standard error is not a terminal. The bar is erased when done.
class Progress {
 public:
  Progress(std::string label, std::uint64_t total, std::string noun = {});  ///< "iterations" by default
  ~Progress();
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  void update(std::uint64_t done);

 private:
  using Clock = std::chrono::steady_clock;

  const std::string label_;
  const std::uint64_t total_;
  const std::string noun_;
  const bool shown_;
  const Clock::time_point started_ = Clock::now();
  Clock::time_point drawn_{};
};

/// The text of the bar: "linear-mse  [######......]  50 %  500,000 of 1,000,000 iterations, 2 s left".
std::string progress_line(const std::string& label, std::uint64_t done, std::uint64_t total, double elapsed_s,
                          const std::string& noun = {});

}  // namespace lanescope::app
