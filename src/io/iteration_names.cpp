#include "io/iteration_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <tuple>

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

std::vector<NamedLoops::Range> NamedLoops::turns() const {
  constexpr std::size_t kFewest = 3;
  std::vector<Range> ends;
  for (const auto& [word, ranges] : by_word) {
    if (ranges.size() >= kFewest && (ends.empty() || ranges.size() < ends.size())) ends = ranges;
  }
  std::ranges::stable_sort(
      ends, {}, [](const Range& range) { return std::tuple(range.process, range.thread, range.event.start_ns); });
  std::vector<Range> turns;
  for (std::size_t i = 1; i < ends.size(); ++i) {
    const Range& before = ends[i - 1];
    Range turn = ends[i];
    if (before.process != turn.process || before.thread != turn.thread) continue;
    if (turn.event.start_ns < before.event.end_ns) continue;  // of a wrapper around it
    turn.event.start_ns = before.event.end_ns;
    turn.event.a = static_cast<std::uint32_t>(i);
    trace::set_range_kind(turn.event, trace::RangeKind::Iteration);
    turns.push_back(turn);
  }
  return turns;
}

}  // namespace lanescope::io
