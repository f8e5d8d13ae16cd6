// Grades students' files by measurement: every answer against what the runs give now, never against a stored number.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "lesson/grade.h"
#include "lesson/lesson.h"
#include "lesson/step_runs.h"
#include "lesson/student_file.h"

namespace lanescope::lesson {

/// A step that asks, and what a student answered.
struct GradedStep {
  const Step* step = nullptr;
  std::optional<StepRecord> record;  ///< empty: not begun
  bool answered = false;             ///< a question's answer, or a task's solution
  std::optional<Truth> truth;        ///< of a question; empty: not known
  std::optional<Progress> progress;  ///< of a task with a solution: its run
  std::vector<std::string> turned;   ///< of a task with a solution: "key=value" that differs from the step's
  std::optional<bool> right;         ///< empty: not answered, or not graded
  std::string problem;               ///< why an answer could not be graded; empty: it was
};

struct GradedFile {
  std::string path;
  StudentFile file;
  const Lesson* lesson = nullptr;
  bool other_version = false;     ///< the lesson asked something else when it was answered
  std::vector<GradedStep> steps;  ///< all that ask, in the lesson's order

  std::size_t points() const;  ///< the number of right answers
  double seconds() const;      ///< of all steps
  int hints() const;
};

class Grader {
 public:
  /// Throws base::UsageError if the lesson is unknown.
  void add(std::string path, StudentFile file);
  /// How many runs all files together need.
  std::size_t runs() const { return runs_.count(); }
  /// As StepRuns::run().
  bool run(const std::function<void(std::size_t made)>& progress = {}, const std::function<bool()>& should_stop = {});
  /// In the order of add(); after run().
  std::vector<GradedFile> grades() const;

 private:
  struct Needed {
    std::size_t before = 0, after = 0;    // of a question
    std::optional<std::size_t> solution;  // of a task
  };
  struct Entry {
    GradedFile graded;
    std::vector<Needed> needed;  // for each of its steps
  };

  Needed need(GradedStep& graded);
  void grade(GradedStep& graded, const Needed& needed) const;

  StepRuns runs_;
  std::vector<Entry> entries_;
};

}  // namespace lanescope::lesson
