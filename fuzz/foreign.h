// What the fuzz targets share: foreign bytes are read or refused with one line; anything else is a crash.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <random>
#include <string>
#include <string_view>
#include <utility>

#include "base/error.h"
#include "base/plain_text.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace lanescope::fuzz {

inline std::string_view text_of(const std::uint8_t* data, std::size_t size) {
  return {reinterpret_cast<const char*>(data), size};
}

/// Ends the program as a crash, with the reason.
[[noreturn]] inline void fail(std::string_view what, std::string_view about = {}) {
  std::fprintf(stderr, "%.*s: %.*s\n", static_cast<int>(what.size()), what.data(), static_cast<int>(about.size()),
               about.data());
  std::abort();
}
inline void expect(bool holds, std::string_view what, std::string_view about = {}) {
  if (!holds) fail(what, about);
}

/// What is shown is valid UTF-8 without line ends and other control characters.
inline void check_text(std::string_view text) {
  for (std::size_t i = 0; i < text.size();) {
    const char32_t code = base::next_code_point(text, i);
    expect(code != base::kInvalidCodePoint, "a text that is not UTF-8", text);
    expect(code >= 0x20 && code != 0x7F, "a text with a control character", text);
  }
}

/// What is said of a file, and stands beside its figures, is one such line.
inline void check_line(std::string_view line) {
  expect(!line.empty(), "a sentence without a text");
  check_text(line);
}

/// Calls `read`, which may refuse what it is given. True if it did not.
template <typename Read>
bool accepted(Read&& read) {
  try {
    std::forward<Read>(read)();
    return true;
  } catch (const base::Error& error) {
    // What a terminal must not get is left out where errors are printed (app/terminal_output.h).
    expect(*error.what() != '\0', "an error without a text");
    return false;
  }
}

/// A file for readers that take a path; it is written anew for each input. scripts/fuzz.sh has it in memory.
class InputFile {
 public:
  explicit InputFile(std::string_view ending)
      : path_(std::filesystem::temp_directory_path() /
              ("lanescope-fuzz-" + std::to_string(getpid()) + std::string(ending))) {}
  ~InputFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  InputFile(const InputFile&) = delete;
  InputFile& operator=(const InputFile&) = delete;

  const std::filesystem::path& write(std::string_view bytes) { return put(bytes, "wb"); }
  const std::filesystem::path& append(std::string_view bytes) { return put(bytes, "ab"); }

 private:
  const std::filesystem::path& put(std::string_view bytes, const char* how) {
    std::FILE* file = std::fopen(path_.c_str(), how);
    expect(file != nullptr, "cannot write", path_.native());
    const bool whole = std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
    expect(std::fclose(file) == 0 && whole, "cannot write", path_.native());
    return path_;
  }

  std::filesystem::path path_;
};

/// What a mutator decides by: the same seed gives the same bytes.
class Dice {
 public:
  explicit Dice(unsigned seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : static_cast<std::size_t>(engine_()) % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  std::uint64_t bits() { return (static_cast<std::uint64_t>(engine_()) << 32) | engine_(); }
  /// A number at which readers go wrong: limits, powers of two, and what is beside them.
  std::int64_t extreme() {
    switch (below(4)) {
      case 0:
        return static_cast<std::int64_t>(below(16)) - 4;
      case 1:
        return static_cast<std::int64_t>((std::uint64_t{1} << below(64)) + below(3) - 1);
      case 2:
        return static_cast<std::int64_t>(0 - (std::uint64_t{1} << below(64)) + below(3) - 1);
      default:
        return static_cast<std::int64_t>(bits() >> below(64));
    }
  }

 private:
  std::mt19937 engine_;
};

/// Puts a mutated input where libFuzzer wants it; what does not fit is mutated as bytes instead.
inline std::size_t give(std::string_view made, std::uint8_t* data, std::size_t size, std::size_t max_size) {
  if (made.empty() || made.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  made.copy(reinterpret_cast<char*>(data), made.size());
  return made.size();
}

}  // namespace lanescope::fuzz
