// A lesson: steps through experiments, with texts, questions and tasks for a class. Lessons are data:
// assets/lessons/*.toml, embedded in the program.
//
// The right answer of a question is what the run gives: a file says what is measured, never how much it is.
#pragma once

#include <limits>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/translate.h"
#include "experiment/experiment.h"

namespace lanescope::lesson {

using experiment::Experiment;
using experiment::Side;
using experiment::Text;
using experiment::View;

/// What a question or a task is about.
struct Measure {
  /// "factor": how many times as fast `after` is as `before`; "verdict"; or a figure of experiment/named_figure.h.
  std::string figure = "factor";
  Side of = Side::After;  ///< the side that a figure or a verdict is of

  bool operator==(const Measure&) const = default;
};

/// One of the answers to choose from.
struct Choice {
  Text text;
  /// It is right for values up to this one and above that of the choice before. The last has no limit, so that every
  /// value has exactly one right choice.
  double up_to = std::numeric_limits<double>::infinity();
  std::string verdict;  ///< for a verdict: its key, "sync-bound"; empty: any other

  bool operator==(const Choice&) const = default;
};

struct Question {
  Text text;
  Measure measure;
  std::vector<Choice> choices;  ///< empty: the answer is a number
  // A number, on a slider.
  double least = 0, most = 0;
  std::string unit;         ///< of the measure, or one that it can be converted to
  double tolerance = 0.15;  ///< right if the answer is that close to the measurement, relative to it

  bool operator==(const Question&) const = default;
};

/// What the live run must reach.
struct Goal {
  std::string figure;  ///< of experiment/named_figure.h
  double least = -std::numeric_limits<double>::infinity(), most = std::numeric_limits<double>::infinity();
  Text text{};  ///< in words: "the loss is still read"; empty: from the figure and its limits

  bool operator==(const Goal&) const = default;
};
struct Task {
  Text text;
  std::vector<Goal> goals;        ///< all of them
  std::vector<std::string> keep;  ///< keys of settings that must stay as they are
  std::vector<Text> hints;        ///< given one after the other

  bool operator==(const Task&) const = default;
};

struct Step {
  std::string name;  ///< unique in the lesson: "pinned"
  Text title;
  Text text;                               ///< what to read before anything is asked
  Text reveal;                             ///< what it means, once it is known; may be empty
  Text notes;                              ///< for the teacher; may be empty
  double minutes = 0;                      ///< 0.5 to 90
  std::string experiment;                  ///< id; empty: the step's own, of the next four
  std::string workload, device;            ///< device: instead of the experiment's, on both sides; may be empty
  std::vector<std::string> before, after;  ///< "key=value": settings of the own experiment's sides
  Side side = Side::Before;                ///< that the step begins with
  std::vector<std::string> settings;       ///< "key=value", applied over those of the experiment, on both sides
  std::optional<View> view;                ///< instead of that of the side it begins with
  std::optional<Question> question;
  std::optional<Task> task;

  /// Each step has at most one of them.
  bool asks() const { return question || task; }
  bool operator==(const Step&) const = default;
};

struct Lesson {
  std::string name;  ///< "why-the-gpu-waits"; the file is "why-the-gpu-waits.toml"
  int order = 0;     ///< from 1
  Text title;
  Text summary;     ///< what one knows afterwards
  double slot = 0;  ///< minutes that a class has for it; 0: as many as the steps take
  std::vector<Step> steps;

  double minutes() const;  ///< of the whole lesson: its slot
  double planned() const;  ///< of all steps; the rest of minutes() is to spare
  bool operator==(const Lesson&) const = default;
};

/// What the step runs: its experiment with its settings, device and view, or its own. Throws like experiment_named().
Experiment experiment_of(const Step& step);

/// `origin` is the file's name as given by the user; every error begins with it. Throws base::FileError with file,
/// line, key and what is allowed. Checks everything, the experiments that it names included.
Lesson parse_lesson(std::string_view text, std::string_view origin, const experiment::NameCheck& check = {});

/// All embedded lessons, in order.
std::span<const Lesson> lessons();
/// Errors of embedded files that could not be used; empty in a correct build.
const std::vector<std::string>& lesson_errors();
/// Finds a lesson by name: the user's own first (own_lessons.h). One whose file has gone is still found. Throws
/// base::UsageError, which lists the names, or base::FileError if the lesson's file exists but is invalid.
const Lesson& lesson_named(std::string_view name);

// --- words -----------------------------------------------------------------------------------------------------------
// Numbers that a lesson gives, and what is asked of a task's run, in words.

/// As it was written, but long ones with separators: "0.006", "80", "10,000,000".
std::string given_number(double value);
/// The goal's own text; without one, the figure and its limits: "time per iteration ≤ 50 µs".
std::string goal_in_words(const Goal& goal, base::Language language);

}  // namespace lanescope::lesson
