// Numbers that a lesson gives, and what is asked of a task's run, in words.
#pragma once

#include <string>

#include "base/translate.h"
#include "lesson/lesson.h"

namespace lanescope::lesson {

/// As it was written, but long ones with separators: "0.006", "80", "10,000,000".
std::string given_number(double value);
/// The goal's own text; without one, the figure and its limits: "time per iteration ≤ 50 µs".
std::string goal_in_words(const Goal& goal, base::Language language);

}  // namespace lanescope::lesson
