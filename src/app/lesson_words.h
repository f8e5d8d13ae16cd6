// What a lesson asks and what is right, in words.
#pragma once

#include <string>

#include "base/translate.h"
#include "lesson/grade.h"
#include "lesson/lesson.h"

namespace lanescope::app {

/// "1.44 ×", "98.9 µs"
std::string value_in_words(const lesson::Question& question, double value);
/// "C · More often"; a number: "1.4 ×". A choice that there is not: "27".
std::string answer_in_words(const lesson::Question& question, const lesson::Answer& answer, base::Language language);
/// The right answer: "C · More often (8)", "C · By the data loader", "1.442 ×".
std::string truth_in_words(const lesson::Question& question, const lesson::Truth& truth, base::Language language);

}  // namespace lanescope::app
