// Grades as a table, as CSV and as JSON.
#pragma once

#include <string>
#include <vector>

#include "app/terminal.h"
#include "lesson/grader.h"

namespace lanescope::app {

/// For each lesson: a line for each file with right, wrong or empty for each step, and a line for each step with what
/// is right.
std::string grades_table(const std::vector<lesson::GradedFile>& grades, const Style& style);
/// A line for each file and step that asks: student, lesson, step, kind, asked, answer, right_answer, right (1, 0 or
/// empty), seconds, hints, file, state.
std::string grades_csv(const std::vector<lesson::GradedFile>& grades);
std::string grades_json(const std::vector<lesson::GradedFile>& grades);

}  // namespace lanescope::app
