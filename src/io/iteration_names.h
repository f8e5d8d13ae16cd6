// Ranges that people name like iterations: "iteration 12", "step_3".
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "trace/event.h"

namespace lanescope::io {

/// A range that names an iteration of a loop: "iteration 12", "step_3", "Batch: 7", "train iter 2", "ProfilerStep#4".
/// Only these words, with a number and nothing else.
struct IterationName {
  std::string_view word;  ///< as written: "step"
  std::uint32_t number = 0;
};
std::optional<IterationName> iteration_name(std::string_view text);

/// Ranges that are named like iterations, by the word. Loops nest ("step 3" in "iteration 1"): the iterations of the
/// trace are those of the outermost, which last longest together.
struct NamedLoops {
  struct Range {
    trace::Event event;
    std::int64_t process = 0, thread = 0;
  };
  std::map<std::string, std::vector<Range>, std::less<>> by_word;

  void add(std::string_view word, const Range& range);
  std::string outermost() const;
  /// Of ranges that end iterations, such as the steps of an optimizer: what lies between the ends of two, numbered from
  /// 1. Of several words, that of the fewest ranges, since the others are of parts of the loop; none of fewer than 3.
  std::vector<Range> turns() const;
};

}  // namespace lanescope::io
