#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <system_error>

#include "app/argument_checks.h"
#include "app/commands.h"
#include "app/reports.h"
#include "app/table.h"
#include "app/terminal_output.h"
#include "base/error.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "base/version.h"
#include "experiment/named_figure.h"
#include "io/escaped_text.h"
#include "lesson/grader.h"
#include "lesson/lesson.h"

namespace lanescope::app {
namespace {

using base::tr;
using lesson::GradedFile;
using lesson::GradedStep;

std::string asked_text(const GradedStep& graded) {
  const lesson::Step& step = *graded.step;
  return (step.question ? step.question->text : step.task->text)[base::language()];
}

// A task's answer is what was turned.
std::string answer_text(const GradedStep& graded) {
  if (!graded.answered) return {};
  if (graded.step->question) {
    return answer_in_words(*graded.step->question, *graded.record->answer, base::language());
  }
  return fmt::format("{}", fmt::join(graded.progress ? graded.turned : graded.record->settings, " "));
}

std::string goals_text(const GradedStep& graded) {
  std::string text;
  const lesson::Task& task = *graded.step->task;
  for (std::size_t i = 0; i < task.goals.size(); ++i) {
    text += (i == 0 ? "" : "; ") + lesson::goal_in_words(task.goals[i], base::language());
    if (!graded.progress || !graded.progress->goals[i].value) continue;
    lesson::Question as_measured;
    as_measured.unit = experiment::figure_info(task.goals[i].figure).unit;
    text += " (" + value_in_words(as_measured, *graded.progress->goals[i].value) + ")";
  }
  for (const std::string& key : task.keep) text += fmt::format("; {} {}", key, tr("stays"));
  return text;
}

std::string right_text(const GradedStep& graded) {
  if (graded.step->task) return goals_text(graded);
  return graded.truth ? truth_in_words(*graded.step->question, *graded.truth, base::language()) : tr("not measured");
}

// --- the table -----------------------------------------------------------------------------------------------------

const char* mark_of(const GradedStep& graded) {
  if (graded.right) return *graded.right ? "✓" : "✗";
  return graded.answered ? "?" : "–";
}

std::string remark_of(const GradedFile& graded) {
  return graded.other_version ? tr("another version of the lesson") : "";
}

std::string students_table(const std::vector<const GradedFile*>& grades, const Style& style) {
  Table table;
  std::vector<std::string> titles;
  for (std::size_t i = 1; i <= grades.front()->steps.size(); ++i) titles.push_back(std::to_string(i));
  titles.insert(titles.end(), {tr("score"), tr("time"), tr("hints")});
  table.titles(titles);
  for (const GradedFile* graded : grades) {
    std::vector<Cell> cells;
    for (const GradedStep& step : graded->steps) cells.push_back({mark_of(step), {}, {}});
    cells.push_back({std::to_string(graded->points()), tr("of {}", graded->steps.size()), {}});
    cells.push_back({fmt::format("{:.1f}", graded->seconds() / 60), "min", {}});
    cells.push_back({std::to_string(graded->hints()), {}, {}});
    table.row(one_line(graded->file.student), cells, remark_of(*graded));
  }
  return table.text(style);
}

// What is right, and by how many it was found.
std::string steps_table(const std::vector<const GradedFile*>& grades, const Style& style) {
  Table table;
  for (std::size_t i = 0; i < grades.front()->steps.size(); ++i) {
    const auto with = [&](auto holds) {
      return std::ranges::count_if(grades, [&](const GradedFile* graded) { return holds(graded->steps[i]); });
    };
    const auto right = with([](const GradedStep& step) { return step.right == true; });
    const auto all = with([](const GradedStep& step) { return step.right.has_value(); });
    GradedStep step = grades.front()->steps[i];
    step.progress.reset();  // one student's
    table.row(fmt::format("{}  {}", i + 1, step.step->name), {Cell{std::to_string(right), tr("of {} right", all), {}}},
              one_line(right_text(step)));
  }
  return table.text(style);
}

std::string lesson_table(const std::vector<const GradedFile*>& grades, const Style& style) {
  return fmt::format("{}{}{}\n\n", style.bold, grades.front()->lesson->title[base::language()], style.off) +
         students_table(grades, style) + '\n' + steps_table(grades, style);
}

// --- CSV and JSON --------------------------------------------------------------------------------------------------

// For programs: not translated.
std::string state_of(const GradedFile& graded, const std::string& problem) {
  if (!problem.empty()) return "not graded: " + problem;
  return graded.other_version ? "other lesson version" : "ok";
}

Json answer_json(const GradedStep& graded) {
  if (!graded.answered) return nullptr;
  if (graded.step->task) return graded.record->settings;
  const auto* choice = std::get_if<std::size_t>(&*graded.record->answer);
  return choice ? Json(*choice) : Json(std::get<double>(*graded.record->answer));
}

Json truth_json(const GradedStep& graded) {
  if (!graded.truth) return nullptr;
  if (!graded.step->question->choices.empty()) return graded.truth->choice;
  return graded.truth->value;
}

Json text_or_none(const std::string& text) { return text.empty() ? Json(nullptr) : Json(text); }

Json step_json(const GradedStep& graded) {
  Json json{{"step", graded.step->name}, {"kind", graded.step->question ? "question" : "task"}};
  json["asked"] = asked_text(graded);
  json["answer"] = answer_json(graded);
  json["answer_text"] = text_or_none(answer_text(graded));
  json["right_answer"] = truth_json(graded);
  json["right_answer_text"] = right_text(graded);
  json["right"] = graded.right ? Json(*graded.right) : Json(nullptr);
  json["problem"] = text_or_none(graded.problem);
  json["begun"] = graded.record ? Json(graded.record->begun) : Json(nullptr);
  json["seconds"] = graded.record ? Json(graded.record->seconds) : Json(nullptr);
  json["hints"] = graded.record ? Json(graded.record->hints) : Json(nullptr);
  json["device"] = graded.record ? text_or_none(graded.record->device) : Json(nullptr);
  return json;
}

Json file_json(const GradedFile& graded) {
  Json json{{"file", graded.path}, {"student", graded.file.student}, {"lesson", graded.lesson->name}};
  json["state"] = state_of(graded, "");
  json["points"] = graded.points();
  json["of"] = graded.steps.size();
  json["seconds"] = graded.seconds();
  json["hints"] = graded.hints();
  json["steps"] = Json::array();
  for (const GradedStep& step : graded.steps) json["steps"].push_back(step_json(step));
  return json;
}

}  // namespace

std::string grades_table(const std::vector<GradedFile>& grades, const Style& style) {
  std::vector<const lesson::Lesson*> lessons;
  for (const GradedFile& graded : grades) {
    if (std::ranges::find(lessons, graded.lesson) == lessons.end()) lessons.push_back(graded.lesson);
  }
  std::string text;
  for (const lesson::Lesson* of : lessons) {
    std::vector<const GradedFile*> answers;
    for (const GradedFile& graded : grades) {
      if (graded.lesson == of) answers.push_back(&graded);
    }
    text += lesson_table(answers, style) + '\n';
  }
  return text + tr("✓ right   ✗ wrong   – not answered   ? not graded") + '\n' +
         tr("What is right was measured just now, on simulated devices.") + '\n';
}

std::string grades_csv(const std::vector<GradedFile>& grades) {
  std::string csv;
  io::append_csv_line(csv, std::vector<std::string>{"student", "lesson", "step", "kind", "asked", "answer",
                                                    "right_answer", "right", "seconds", "hints", "file", "state"});
  for (const GradedFile& graded : grades) {
    for (const GradedStep& step : graded.steps) {
      const bool begun = step.record.has_value();
      io::append_csv_line(
          csv, std::vector<std::string>{io::csv_text(graded.file.student), io::csv_text(graded.lesson->name),
                                        io::csv_text(step.step->name), step.step->question ? "question" : "task",
                                        io::csv_text(asked_text(step)), io::csv_text(answer_text(step)),
                                        io::csv_text(right_text(step)), step.right ? (*step.right ? "1" : "0") : "",
                                        begun ? fmt::format("{}", step.record->seconds) : "",
                                        begun ? std::to_string(step.record->hints) : "", io::csv_text(graded.path),
                                        io::csv_text(state_of(graded, step.problem))});
    }
  }
  return csv;
}

std::string grades_json(const std::vector<GradedFile>& grades) {
  Json json{{"lanescope", base::kVersion}};
  json["files"] = Json::array();
  for (const GradedFile& graded : grades) json["files"].push_back(file_json(graded));
  return written(json);
}

// --- grade files -----------------------------------------------------------------------------------------------------

namespace {

// A forgotten name after --csv would take the first student's file.
void refuse_to_replace(const std::vector<std::string>& files, const std::string& output) {
  for (const std::string& file : files) {
    std::error_code unknown;
    if (!output.empty() && output != "-" && std::filesystem::equivalent(file, output, unknown)) {
      throw base::UsageError(tr("{} is one of the files to grade; give the output another name", output));
    }
  }
}

// What cannot be used is said at once.
bool add_all(const std::vector<std::string>& files, lesson::Grader& grader) {
  bool all = true;
  std::map<std::pair<std::string, std::string>, std::string> seen;  // student and lesson, and the file
  for (const std::string& path : files) {
    try {
      lesson::StudentFile file = lesson::read_student_file(path);
      const std::pair student(file.student, file.lesson);
      grader.add(path, std::move(file));
      if (const auto [first, is_new] = seen.emplace(student, path); !is_new) {
        say(tr("{}: '{}' has another file for this lesson, {}; each is graded on its own", path, student.first,
               first->second));
      }
    } catch (const base::FileError& error) {
      say(error.what());
      all = false;
    } catch (const base::UsageError& error) {
      say(fmt::format("{}: {}", path, error.what()));
      all = false;
    }
  }
  return all;
}

bool run_all(lesson::Grader& grader) {
  const base::Interrupt interrupt;
  Progress progress(tr("grading"), grader.runs(), tr("runs"));
  return grader.run([&](std::size_t made) { progress.update(made); }, [&] { return interrupt.asked(); });
}

}  // namespace

int grade_files(const GradeRequest& request) {
  refuse_to_replace(request.files, request.csv);
  refuse_to_replace(request.files, request.json);
  check_outputs({request.csv, request.json});
  lesson::Grader grader;
  const bool good = add_all(request.files, grader);
  if (!run_all(grader)) {
    say(tr("ended early; nothing is graded"));
    return kEndedEarly;
  }
  const std::vector<lesson::GradedFile> grades = grader.grades();
  for (const lesson::GradedFile& graded : grades) {
    if (graded.other_version) {
      say(tr("{}: answers another version of the lesson '{}'; graded by this one", graded.path, graded.lesson->name));
    }
  }
  if (grades.empty()) return kFailed;
  if (!request.csv.empty()) write_json(request.csv, grades_csv(grades));
  if (!request.json.empty()) write_json(request.json, grades_json(grades));
  if (request.csv != "-" && request.json != "-") write_words(grades_table(grades, style_for(stdout)));
  return good ? kDone : kFailed;
}

}  // namespace lanescope::app
