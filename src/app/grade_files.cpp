#include "app/grade_files.h"

#include <fmt/format.h>

#include <map>
#include <system_error>

#include "app/grade_report.h"
#include "app/outputs.h"
#include "app/progress.h"
#include "app/terminal.h"
#include "base/error.h"
#include "base/platform/terminal.h"
#include "base/translate.h"
#include "lesson/grader.h"

namespace lanescope::app {
namespace {

using base::tr;

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
