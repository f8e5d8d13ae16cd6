// Grades students' files by measurement: every answer against what the runs give now, never against a stored number.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "experiment/published_numbers.h"
#include "lesson/grade.h"
#include "lesson/lesson.h"
#include "lesson/student_file.h"

namespace lanescope::lesson {

// --- step runs -------------------------------------------------------------------------------------------------------
// The runs that grading needs, on the devices that the experiments are designed for. Each distinct one is made once,
// however many answers need it.

/// With which a step begins on this side, and `settings` ("key=value") applied over it. Throws base::UsageError if they
/// are impossible.
workload::Settings settings_of(const Step& step, Side side, const std::vector<std::string>& settings = {});
/// The settings that differ, as "key=value" of `now`: what a student turned, for StepRecord::settings.
std::vector<std::string> turned_between(const workload::Settings& start, const workload::Settings& now);

class StepRuns {
 public:
  struct Run {
    Experiment experiment;
    Side side = Side::Before;
    std::vector<std::string> assignments;  ///< over those of the experiment
    workload::Settings settings;           ///< that result from them
    experiment::Measured measured;
    std::string error;  ///< why it failed; empty: it did not
  };

  /// A run with settings_of(). Makes none yet; the result is the run's number. Throws base::UsageError.
  std::size_t need(const Step& step, Side side, const std::vector<std::string>& settings = {});
  std::size_t count() const { return runs_.size(); }
  /// Makes all that are not made yet; false if it was stopped. `progress` gets how many are made, every few
  /// milliseconds; both functions may be empty.
  bool run(const std::function<void(std::size_t made)>& progress = {}, const std::function<bool()>& should_stop = {});
  /// Valid until the next need().
  const Run& operator[](std::size_t number) const { return runs_[number]; }

 private:
  std::vector<Run> runs_;
  std::map<std::string, std::size_t> numbers_;  // by what they run
  std::size_t made_ = 0;
};

// --- grader ----------------------------------------------------------------------------------------------------------

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
