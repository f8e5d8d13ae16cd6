#include "io/iteration_names.h"

#include <algorithm>
#include <array>
#include <charconv>

namespace lanescope::io {

std::optional<IterationName> iteration_name(std::string_view text) {
  constexpr std::array<std::string_view, 7> kWords = {"iteration",  "iter",          "step",        "batch",
                                                      "train_step", "training_step", "profilerstep"};
  constexpr std::array<std::string_view, 3> kBefore = {"train", "training", "global"};
  constexpr std::string_view kBetween = " _-:#";
  const std::size_t digits = text.find_last_not_of("0123456789") + 1;
  if (digits == 0 || digits == text.size() || digits > 30) return std::nullopt;
  const std::string_view word = text.substr(0, text.find_last_not_of(kBetween, digits - 1) + 1);
  std::uint32_t number = 0;
  const auto [end, error] = std::from_chars(text.data() + digits, text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  const auto is = [](std::string_view written) {
    return [written](std::string_view known) {
      return std::ranges::equal(known, written,
                                [](char a, char b) { return a == (b >= 'A' && b <= 'Z' ? b + 32 : b); });
    };
  };
  std::string_view last = word;
  const std::size_t first_end = word.find_first_of(kBetween);
  if (first_end != std::string_view::npos && std::ranges::any_of(kBefore, is(word.substr(0, first_end))))
    last = word.substr(first_end + 1);
  if (std::ranges::none_of(kWords, is(word)) && std::ranges::none_of(kWords, is(last))) return std::nullopt;
  return IterationName{word, number};
}

void NamedLoops::add(std::string_view word, const Range& range) {
  const auto known = by_word.find(word);
  (known != by_word.end() ? known->second : by_word[std::string(word)]).push_back(range);
}

std::string NamedLoops::outermost() const {
  std::string longest;
  double most = -1;
  for (const auto& [word, ranges] : by_word) {
    double ns = 0;
    for (const Range& range : ranges) ns += static_cast<double>(range.event.duration());
    if (ns <= most) continue;
    most = ns;
    longest = word;
  }
  return longest;
}

}  // namespace lanescope::io
