// What a student answered in a lesson, as a value and as a JSON file: NAME-LESSON.answers.json.
// No stored number is trusted for grading, see lesson/grader.h.
#pragma once

#include <chrono>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lesson/grade.h"
#include "lesson/lesson.h"

namespace lanescope::lesson {

/// One step that was begun.
struct StepRecord {
  std::string step{};              ///< its name; each appears once
  std::optional<Answer> answer{};  ///< of a question; empty: not answered
  std::string begun{};             ///< UTC: "2026-03-02T09:30:00Z", see utc_text()
  double seconds = 0;              ///< until the answer, or until the task was solved; 0 to 1e7
  int hints = 0;                   ///< that were given, 0 to 1000
  /// "key=value": of a task, with which it was solved, applied over those of the step's side; otherwise empty. See
  /// turned_between() in lesson/grader.h.
  std::vector<std::string> settings{};
  bool solved = false;          ///< a task, in the student's own run
  std::optional<Truth> seen{};  ///< what the student's own run gave; for information only
  std::string device{};         ///< id of the device on which it was seen; may be empty

  bool operator==(const StepRecord&) const = default;
};

struct StudentFile {
  std::string student;  ///< 1 to 100 characters, see check_student_name()
  std::string lesson;   ///< its name
  std::string version;  ///< of the program that wrote it
  std::string lesson_digest;
  std::vector<StepRecord> steps;  ///< in the order in which they were begun

  const StepRecord* record(std::string_view step) const;  ///< null: not begun
  StepRecord* record(std::string_view step);
  bool operator==(const StudentFile&) const = default;
};

/// Without records. Throws base::UsageError for an impossible name.
StudentFile new_student_file(std::string student, const Lesson& lesson);
/// Throws base::UsageError, which says what is allowed: UTF-8, 1 to 100 characters, no control characters.
void check_student_name(std::string_view student);
/// Of all that a lesson asks: its steps, what they run, questions with their choices, goals. Two lessons with the same
/// digest have the same answers. 16 hex digits; in files of format 1 there are 64, which say nothing here.
std::string lesson_digest(const Lesson& lesson);
/// "2026-03-02T09:30:00Z"
std::string utc_text(std::chrono::system_clock::time_point time);

/// Indented by two, ends with a line feed.
std::string to_json(const StudentFile& file);
/// `origin` is the file's name as given by the user; every error begins with it. Checks everything; throws
/// base::FileError with file, place and what is allowed.
StudentFile parse_student_file(std::string_view text, std::string_view origin);
/// The same for a file of at most 4 MB. Throws base::FileError.
StudentFile read_student_file(const std::filesystem::path& path);
/// Replaces the file as a whole or not at all: to be called after each answer. Throws base::FileError if it cannot be
/// written, or if `file` could not be read again.
void write_student_file(const std::filesystem::path& path, const StudentFile& file);

/// "Ann Lee" in "why-the-gpu-waits" is "ann-lee-why-the-gpu-waits.answers.json" in that folder. Names that differ have
/// files that differ, also where upper and lower case are the same: a name that is not written like "Ann Lee" gets a
/// few digits of its digest ("ann lee": "ann-lee_9d0f4a12c3b7-..."). Whoever continues a file checks `student` and
/// `lesson`.
std::filesystem::path student_file_path(const std::filesystem::path& folder, std::string_view student,
                                        std::string_view lesson);

}  // namespace lanescope::lesson
