// Finds untranslated English in a Chinese text. Names and terms stay in English; they are listed here, for the window,
// the command line and the page.
#pragma once

#include <algorithm>
#include <array>
#include <cctype>
#include <cstddef>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace lanescope::language {

/// Words that always stay. A word without lower-case letters (GPU), with a digit (H2D), an underscore or a bracket
/// (log_interval, item()), or with an inner capital (cudaMalloc, DataLoader) is a name and needs no entry.
inline const std::set<std::string, std::less<>>& kept_words() {
  static const std::set<std::string, std::less<>> kWords{
      // units
      "ns", "ms", "us", "kB", "min", "GiB", "KiB", "MiB", "GFLOP", "TFLOP", "Hz",
      // libraries, systems, formats, people
      "Lanescope", "Chrome", "Trace", "Markdown", "Linux", "Windows", "Python", "Perfetto", "Intel", "Xeon", "Turing",
      "Ampere", "Ada", "Lovelace", "Blackwell", "Core", "Wayland", "Lightning", "Laptop", "Ti", "Turbo", "Iris",
      "Teaching", "GeForce", "Nsight", "Systems",
      // keys
      "Ctrl", "Shift", "Alt", "Enter", "Esc", "Tab", "Space", "Home", "End", "Delete", "Backspace", "PageUp",
      "PageDown", "Up", "Down", "Left", "Right", "Insert", "Keypad", "Page",
      // lanes and what is drawn on them, quoted by the experiments' texts
      "kernels", "copy", "phase", "phases", "loader", "iterations", "reads", "stopwatch", "ops", "loss", "events",
      // Python, CUDA, PyTorch
      "batch", "epoch", "kernel", "item", "print", "int", "bool", "true", "false", "on", "off", "auto", "none", "cuda",
      "cpu", "sim", "tensor", "pin", "range", "return", "main", "side", "if", "while", "to"};
  return kWords;
}

/// Sequences of words that stay.
inline const std::vector<std::string>& kept_phrases() {
  static const std::vector<std::string> kPhrases{"CUDA calls",
                                                 "CPU ops",
                                                 "copy H2D",
                                                 "copy D2H",
                                                 "copy D2D",
                                                 "Chrome Trace JSON",
                                                 "Tensor Core",
                                                 "CUDA graph",
                                                 "zero grad",
                                                 "first, second",
                                                 "for l in losses",
                                                 "lanescope list experiments",
                                                 "lanescope list workloads",
                                                 "lanescope list devices",
                                                 "lanescope list settings",
                                                 "lanescope run",
                                                 "lanescope sweep",
                                                 "lanescope report",
                                                 "lanescope calibrate",
                                                 "lanescope list",
                                                 "lanescope"};
  return kPhrases;
}

inline bool is_name(std::string_view word) {
  bool small = false;
  for (std::size_t i = 0; i < word.size(); ++i) {
    const auto c = static_cast<unsigned char>(word[i]);
    if (std::isdigit(c) || c == '_') return true;
    if (i > 0 && std::isupper(c)) return true;
    small = small || std::islower(c);
  }
  return !small || word.size() < 2 || kept_words().contains(word);
}

/// Removes what stays: `names` are those of the run (its lanes, events, devices, code), longest first.
inline std::string without_names(std::string text, const std::vector<std::string>& names) {
  const auto cut_out = [&](const std::string& name) {
    const auto is_letter = [&](std::size_t at) {
      return at < text.size() && std::isalnum(static_cast<unsigned char>(text[at]));
    };
    if (name.size() < 2) return;
    for (std::size_t at = 0; (at = text.find(name, at)) != std::string::npos;) {
      const bool whole = (at == 0 || !is_letter(at - 1)) && !is_letter(at + name.size());
      if (whole) text.replace(at, name.size(), "|");
      ++at;
    }
  };
  for (const std::string& name : names) cut_out(name);
  // Quotations stay in the original: a tutorial's words, an error of PyTorch. A shortened text may lack the closing
  // quote.
  for (std::size_t at = 0; (at = text.find("“", at)) != std::string::npos;) {
    const std::size_t end = std::min(text.find("”", at), text.size());
    text.replace(at, end - at, "|");
  }
  for (const std::string& phrase : kept_phrases()) cut_out(phrase);
  return text;
}

/// The sequences of two or more English words in a text; empty if there are none. A shortened text that is the start of
/// a name counts as that name.
inline std::vector<std::string> english_in(const std::string& text, const std::vector<std::string>& names) {
  const auto is_latin = [](unsigned char c) { return std::isalpha(c) != 0; };
  int latin = 0;  // without two words there is nothing to look for
  for (std::size_t i = 0; i < text.size(); ++i) {
    latin +=
        is_latin(static_cast<unsigned char>(text[i])) && (i == 0 || !is_latin(static_cast<unsigned char>(text[i - 1])));
  }
  if (latin < 2) return {};
  if (text.size() > 3) {
    for (const std::string& name : names) {
      if (name.starts_with(text)) return {};
    }
  }
  const std::string rest = without_names(text, names);
  std::vector<std::string> found;
  std::string run;
  int words = 0;
  const auto end_run = [&] {
    if (words >= 2) found.push_back(run);
    run.clear();
    words = 0;
  };
  const auto in_word = [](unsigned char c) { return std::isalnum(c) || c == '_' || c == '\'' || c == '-'; };
  for (std::size_t at = 0; at < rest.size();) {
    const auto c = static_cast<unsigned char>(rest[at]);
    if (std::isalnum(c) || c == '_') {
      const std::size_t from = at;
      while (at < rest.size() && in_word(static_cast<unsigned char>(rest[at]))) ++at;
      const std::string word = rest.substr(from, at - from);
      const char before = from > 0 ? rest[from - 1] : ' ', after = at < rest.size() ? rest[at] : ' ';
      // Of a path, an option, a call, an assignment: code, not prose.
      const bool code = std::string_view("-./\\$@#=<").find(before) != std::string_view::npos ||
                        std::string_view("(=/\\[<").find(after) != std::string_view::npos ||
                        (after == '.' && at + 1 < rest.size() && rest[at + 1] != ' ');
      if (code) {
        end_run();
      } else if (!is_name(word)) {  // a name within a sentence does not count
        run += (run.empty() ? "" : " ") + word;
        ++words;
      }
    } else {
      // A sentence continues over blanks and light punctuation.
      if (c != ' ' && c != ',' && c != ';' && c != ':' && c != '\n' && c != '"') end_run();
      ++at;
    }
  }
  end_run();
  return found;
}

}  // namespace lanescope::language
