// A lesson on paper: the plan for its teacher, with the answers that its runs give; and a sheet for its students.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "base/translate.h"
#include "experiment/measured_run.h"
#include "lesson/grade.h"
#include "lesson/lesson.h"

namespace lanescope::app {

// --- lesson words ----------------------------------------------------------------------------------------------------
// What a lesson asks and what is right, in words.

/// "1.44 ×", "98.9 µs"
std::string value_in_words(const lesson::Question& question, double value);
/// "C · More often"; a number: "1.4 ×". A choice that there is not: "27".
std::string answer_in_words(const lesson::Question& question, const lesson::Answer& answer, base::Language language);
/// The right answer: "C · More often (8)", "C · By the data loader", "1.442 ×".
std::string truth_in_words(const lesson::Question& question, const lesson::Truth& truth, base::Language language);

// --- lesson page -----------------------------------------------------------------------------------------------------

/// A step, run on both sides on the device that its experiment is designed for.
struct RunStep {
  const lesson::Step* step = nullptr;
  std::unique_ptr<experiment::MeasuredRun> before, after;
};
/// Runs them all; takes some seconds. Throws what MeasuredRun throws.
std::vector<RunStep> run_steps(const lesson::Lesson& lesson);

/// The plan as text, for a terminal: steps, minutes, what each asks. Nothing is run.
std::string lesson_text(const lesson::Lesson& lesson);
/// For the teacher, in the current language: when each step begins, its text, what it asks, the measured answer, what
/// it means, and the notes.
std::string notes_page(const lesson::Lesson& lesson, const std::vector<RunStep>& steps);
/// For the students, in both languages: a picture of each step, its question, and room to write.
std::string worksheet_page(const lesson::Lesson& lesson, const std::vector<RunStep>& steps);
/// The measured answers to that sheet, in both languages.
std::string answers_page(const lesson::Lesson& lesson, const std::vector<RunStep>& steps);

}  // namespace lanescope::app
