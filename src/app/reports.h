// What commands report, as text, Markdown, CSV and JSON. All texts end with a line feed.
#pragma once

#include <nlohmann/json.hpp>

#include <array>
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "analysis/differences.h"
#include "analysis/run_figures.h"
#include "app/terminal_output.h"
#include "base/translate.h"
#include "experiment/experiment.h"
#include "experiment/in_pytorch.h"
#include "experiment/measured_run.h"
#include "experiment/published_numbers.h"
#include "experiment/sweep.h"
#include "lesson/grade.h"
#include "lesson/grader.h"
#include "lesson/lesson.h"

namespace lanescope::app {

// --- summary json ----------------------------------------------------------------------------------------------------
// The figures of a run as JSON, the output of `lanescope run --json`, with its field names and their order.

using Json = nlohmann::ordered_json;

/// Unknown values (a foreign trace's workload, the mean of no iterations, a NaN) are null. Settings have their types.
Json summary_json(const analysis::RunFigures& figures);

/// A setting's value with its type: boolean, number or text.
Json typed(const std::string& text);
Json text_or_null(const std::string& text);  ///< null if it is empty

/// Indented by two, ends with a line feed; equal figures give equal text. What is not UTF-8, as a file's name or a
/// category of a foreign trace may be, is replaced.
std::string written(const Json& json);

// --- run report ------------------------------------------------------------------------------------------------------
// Formats the figures of a run or of a saved trace as JSON and as a table. Tables end with a line feed.

using analysis::RunFigures;

/// The source of a saved trace's figures.
struct FileFacts {
  std::string path;
  bool own = false;
  std::string incomplete;  ///< see io::OpenedTrace
  std::uint64_t events_read = 0, events_skipped = 0, events_malformed = 0;
  std::map<std::string, std::uint64_t> read_by_category, skipped_by_category;
};

/// {"runs": [first, second], "ratio": {...}}. A ratio is second / first, or null if the first is 0. Without a second
/// run (ended early), "ratio" is null. The runs are formatted like summary_json().
Json comparison_json(const RunFigures& first, const std::optional<RunFigures>& second);
/// Like summary_json(), with the facts about the file under "source".
Json file_json(const RunFigures& figures, const FileFacts& source);

/// "What if pinned, non-blocking", and the answer.
std::pair<std::string, std::string> what_if_line(const analysis::AskedWhatIf& asked);
/// `with_places`: where the GPU idles, too.
std::string run_table(const RunFigures& figures, const Style& style, bool with_places = false);
/// If empty, the runs are named by the settings that differ.
struct RunNames {
  std::string first, second;
};
std::string comparison_table(const RunFigures& first, const RunFigures& second, const Style& style,
                             const RunNames& names = {});
/// With up to four significant digits: "3.4", "0.000412", "1,600".
std::string figure_number(double value);
std::string file_table(const RunFigures& figures, const FileFacts& source, const Style& style);

// --- experiment report -----------------------------------------------------------------------------------------------
// Formats an experiment's run beside the published numbers. All texts end with a line feed.

struct PublishedRow {
  experiment::Compared compared;
  bool simulated = true;  ///< this run's figure is simulated
  experiment::Checking checking;
};

struct ExperimentReport {
  const experiment::Experiment& experiment;
  std::optional<experiment::Side> side;           ///< the requested side; empty: both
  std::array<std::optional<RunFigures>, 2> runs;  ///< by side; empty if ended early
  std::vector<PublishedRow> rows;
  const experiment::InPytorch* in_pytorch = nullptr;  ///< null: not measured, or not with these settings
  std::string disagreement{};                         ///< experiment::disagreement() of the two runs
};

/// Both sides: like comparison_json(); one side: like summary_json(). In addition "experiment", "in_pytorch"
/// (null: not measured) and "published", each number with ours under "here" and "in_pytorch".
Json experiment_json(const ExperimentReport& report);
std::string experiment_table(const ExperimentReport& report, const Style& style);

// --- sweep report ----------------------------------------------------------------------------------------------------
// Formats a sweep as JSON and as a table. All texts end with a line feed.

struct SweepReport {
  const experiment::SweepSpec& spec;
  std::span<const experiment::SweepPoint> points;
  std::string unit;
  std::string title;  ///< of the experiment, if there is one
};

std::string sweep_json(const SweepReport& report);
/// One axis: a line with a bar per point. Two: a matrix, with the first axis downwards.
std::string sweep_table(const SweepReport& report, const Style& style);
/// One line per failed point: "batch_size=8: why".
std::vector<std::string> failures(const SweepReport& report);

// --- differences report ----------------------------------------------------------------------------------------------
// What differs between two traces: as a table, Markdown, CSV, JSON, and a section of a page.

/// Why a row differs: "3 → 1", "13 → 9.2 µs each", "only in the second"; translated. Empty: too little to say.
std::string reasons(const analysis::Difference& row, bool per_iteration);

/// The rows that matter most, and how many others there are.
std::string differences_table(const analysis::Differences& differences, const Style& style);
/// For a pull request; names are code, so that nothing in them is markup.
std::string differences_markdown(const analysis::Differences& differences, const std::string& first,
                                 const std::string& second);
/// All rows: kind, name, first_count, second_count, first_ns, second_ns, change_ns, per ("iteration" or "trace").
std::string differences_csv(const analysis::Differences& differences);
/// {"per": "iteration", "rows": [{"kind", "name", "first": {"count", "ns"}, "second": ..., "change_ns", "because"}]}
Json differences_json(const analysis::Differences& differences);
/// A section of a page, as HTML.
std::string differences_section(const analysis::Differences& differences);

// --- grade report ----------------------------------------------------------------------------------------------------
// Grades as a table, as CSV and as JSON.

/// For each lesson: a line for each file with right, wrong or empty for each step, and a line for each step with what
/// is right.
std::string grades_table(const std::vector<lesson::GradedFile>& grades, const Style& style);
/// A line for each file and step that asks: student, lesson, step, kind, asked, answer, right_answer, right (1, 0 or
/// empty), seconds, hints, file, state.
std::string grades_csv(const std::vector<lesson::GradedFile>& grades);
std::string grades_json(const std::vector<lesson::GradedFile>& grades);

// --- lesson words ----------------------------------------------------------------------------------------------------
// What a lesson asks and what is right, in words.

/// "1.44 ×", "98.9 µs"
std::string value_in_words(const lesson::Question& question, double value);
/// "C · More often"; a number: "1.4 ×". A choice that there is not: "27".
std::string answer_in_words(const lesson::Question& question, const lesson::Answer& answer, base::Language language);
/// The right answer: "C · More often (8)", "C · By the data loader", "1.442 ×".
std::string truth_in_words(const lesson::Question& question, const lesson::Truth& truth, base::Language language);

// --- lesson page -----------------------------------------------------------------------------------------------------
// A lesson on paper: the plan for its teacher, with the answers that its runs give; and a sheet for its students.

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
