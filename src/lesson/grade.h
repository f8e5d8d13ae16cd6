// What is right is what was measured: the answers to a step's question, and whether a task is done.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "experiment/named_figure.h"
#include "lesson/lesson.h"
#include "workload/settings.h"

namespace lanescope::lesson {

using experiment::Measured;

/// The number of a choice, counted from 0, or a number in the question's unit.
using Answer = std::variant<std::size_t, double>;

/// What a question is about, measured.
struct Truth {
  double value = 0;        ///< in the question's unit; of a verdict: not used
  std::string verdict;     ///< its key
  std::size_t choice = 0;  ///< the right one, if there are choices

  bool operator==(const Truth&) const = default;
};
/// Empty if it is not known yet: a side has not run for a whole period, or has no such figure.
std::optional<Truth> truth_of(const Question& question, const Measured* before, const Measured* after);
bool is_right(const Question& question, const Truth& truth, const Answer& answer);

/// How far a task's run is from its goals.
struct Progress {
  struct Line {
    const Goal* goal = nullptr;
    std::optional<double> value;  ///< empty: not known yet
    bool reached = false;
  };
  std::vector<Line> goals;
  std::vector<std::string> changed;  ///< keys of settings that should have stayed

  bool done() const;
};
/// `start` are the settings that the step began with.
Progress progress_of(const Task& task, const Measured& now, const workload::Settings& start,
                     const workload::Settings& settings);

}  // namespace lanescope::lesson
