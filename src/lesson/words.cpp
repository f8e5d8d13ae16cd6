#include "lesson/words.h"

#include <fmt/format.h>

#include <cmath>

#include "base/time.h"
#include "experiment/figure.h"
#include "experiment/unit.h"

namespace lanescope::lesson {

std::string given_number(double value) {
  const bool long_and_whole = std::abs(value) >= 1000 && std::abs(value) < 1e15 && value == std::floor(value);
  return long_and_whole ? base::format_count(std::llround(value)) : fmt::format("{:g}", value);
}

std::string goal_in_words(const Goal& goal, base::Language language) {
  if (!goal.text.empty()) return goal.text[language];
  const experiment::FigureInfo info = experiment::figure_info(goal.figure);
  const std::string unit = info.unit.empty() ? "" : " " + experiment::unit_in_words(info.unit);
  std::string text = info.label;
  if (std::isfinite(goal.least)) text += " ≥ " + given_number(goal.least) + unit;
  if (std::isfinite(goal.most)) text += " ≤ " + given_number(goal.most) + unit;
  return text;
}

}  // namespace lanescope::lesson
