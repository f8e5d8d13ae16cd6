#include "lesson/student_file.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/error.h"
#include "base/json_text.h"
#include "base/plain_text.h"
#include "base/translate.h"
#include "base/version.h"
#include "io/atomic_file.h"
#include "io/byte_source.h"

namespace lanescope::lesson {
namespace {

using base::tr;

constexpr std::size_t kMostCharacters = 100;
constexpr std::uint64_t kMostBytes = 4'000'000;
constexpr std::size_t kStudentBytes = 60, kLessonBytes = 80;  // of a file's name
constexpr std::size_t kDigestDigits = 12;
constexpr char32_t kByteOrderMark = 0xFEFF;

bool is_digit(char c) { return c >= '0' && c <= '9'; }
bool is_lower(char c) { return c >= 'a' && c <= 'z'; }
bool is_upper(char c) { return c >= 'A' && c <= 'Z'; }

// "Ann Lee 2": words of letters and digits, each with a capital at most at its beginning, one space between them. Only
// one name of that kind gives "ann-lee-2".
bool is_plain_name(std::string_view name) {
  char before = ' ';
  for (const char c : name) {
    const bool begins = before == ' ';
    if (begins ? !is_upper(c) && !is_digit(c) : !is_lower(c) && !is_digit(c) && c != ' ') return false;
    before = c;
  }
  return before != ' ';
}

bool is_plain_lesson(std::string_view name) {
  return !name.empty() && std::ranges::all_of(name, [](char c) { return is_lower(c) || is_digit(c) || c == '-'; });
}

// Letters and digits of any script, in lower case if they are ASCII's; all else is a hyphen.
std::string slug_of(std::string_view name, std::size_t most) {
  std::string slug;
  for (std::size_t i = 0; i < name.size();) {
    std::string piece;
    const char32_t c = base::next_code_point(name, i);
    if (c < 0x80) {
      const char ascii = static_cast<char>(c);
      if (is_upper(ascii)) piece = static_cast<char>(ascii - 'A' + 'a');
      if (is_lower(ascii) || is_digit(ascii)) piece = ascii;
    } else if ((c >= 0xC0 && c < 0x2000) || (c >= 0x3040 && c < 0xD800)) {
      base::append_utf8(piece, c);
    }
    if (slug.size() + piece.size() > most) break;
    if (!piece.empty()) {
      slug += piece;
    } else if (!slug.empty() && slug.back() != '-') {
      slug += '-';
    }
  }
  while (!slug.empty() && slug.back() == '-') slug.pop_back();
  return slug;
}

// FNV-1a, as 16 hex digits.
std::string digest_of(std::string_view text) {
  std::uint64_t hash = 0xcbf29ce484222325;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 0x100000001b3;
  return fmt::format("{:016x}", hash);
}

// `plain`: no other name gives the same.
std::string part_of_name(std::string_view name, bool plain, std::size_t most) {
  const std::string slug = slug_of(name, most);
  if (plain && name.size() <= most) return slug;
  return slug + "_" + digest_of(name).substr(0, kDigestDigits);
}

void add_number(std::vector<std::string>& fields, double value) {
  fields.emplace_back();
  base::append_number(fields.back(), value);
}

void add_text(std::vector<std::string>& fields, const Text& text) {
  fields.insert(fields.end(), text.in.begin(), text.in.end());
}

void add_list(std::vector<std::string>& fields, const std::vector<std::string>& list) {
  fields.push_back(std::to_string(list.size()));
  fields.insert(fields.end(), list.begin(), list.end());
}

void add_question(std::vector<std::string>& fields, const Question& question) {
  add_text(fields, question.text);
  fields.insert(fields.end(), {question.measure.figure, std::string(side_key(question.measure.of)), question.unit});
  for (const double value : {question.least, question.most, question.tolerance}) add_number(fields, value);
  fields.push_back(std::to_string(question.choices.size()));
  for (const Choice& choice : question.choices) {
    add_text(fields, choice.text);
    fields.push_back(choice.verdict);
    add_number(fields, choice.up_to);
  }
}

void add_task(std::vector<std::string>& fields, const Task& task) {
  add_text(fields, task.text);
  for (const Goal& goal : task.goals) {
    fields.push_back(goal.figure);
    add_number(fields, goal.least);
    add_number(fields, goal.most);
  }
  add_list(fields, task.keep);
}

}  // namespace

const StepRecord* StudentFile::record(std::string_view step) const {
  const auto found = std::ranges::find(steps, step, &StepRecord::step);
  return found == steps.end() ? nullptr : &*found;
}

StepRecord* StudentFile::record(std::string_view step) {
  return const_cast<StepRecord*>(std::as_const(*this).record(step));
}

void check_student_name(std::string_view student) {
  std::size_t characters = 0;
  bool fits = !student.empty() && student.front() != ' ' && student.back() != ' ';
  for (std::size_t i = 0; fits && i < student.size(); ++characters) {
    const char32_t c = base::next_code_point(student, i);
    fits = c != base::kInvalidCodePoint && !base::is_control(c) && c != kByteOrderMark;
  }
  if (fits && characters <= kMostCharacters) return;
  const std::string shown = base::without_controls(student.substr(0, kMostCharacters));
  throw base::UsageError(tr(
      "the student's name is '{}'; allowed: 1 to {} characters in UTF-8, no control characters, no space at the ends",
      shown, kMostCharacters));
}

StudentFile new_student_file(std::string student, const Lesson& lesson) {
  check_student_name(student);
  StudentFile file;
  file.student = std::move(student);
  file.lesson = lesson.name;
  file.version = base::kVersion;
  file.lesson_digest = lesson_digest(lesson);
  return file;
}

std::string lesson_digest(const Lesson& lesson) {
  std::vector<std::string> fields = {lesson.name};
  for (const Step& step : lesson.steps) {
    if (!step.asks()) continue;
    fields.insert(fields.end(),
                  {step.name, step.experiment, step.workload, step.device, std::string(side_key(step.side))});
    for (const auto* settings : {&step.before, &step.after, &step.settings}) add_list(fields, *settings);
    fields.emplace_back(step.question ? "question" : "task");
    if (step.question) add_question(fields, *step.question);
    if (step.task) add_task(fields, *step.task);
  }
  std::string text;
  for (const std::string& field : fields) text += fmt::format("{}:{}", field.size(), field);
  return digest_of(text);
}

std::string utc_text(std::chrono::system_clock::time_point time) {
  return fmt::format("{:%FT%TZ}", fmt::gmtime(std::chrono::system_clock::to_time_t(time)));
}

StudentFile read_student_file(const std::filesystem::path& path) {
  io::ByteSource source(path, {.decompressed = kMostBytes});
  std::string text;
  for (std::string_view piece = source.next(); !piece.empty(); piece = source.next()) text += piece;
  return parse_student_file(text, path.string());
}

void write_student_file(const std::filesystem::path& path, const StudentFile& file) {
  const std::string text = to_json(file);
  if (parse_student_file(text, path.string()) != file) {
    throw base::FileError(fmt::format("{}: {}", path.string(), tr("cannot be read as it would be written")));
  }
  io::write_text_file(path, text);
}

std::filesystem::path student_file_path(const std::filesystem::path& folder, std::string_view student,
                                        std::string_view lesson) {
  return folder / fmt::format("{}-{}.answers.json", part_of_name(student, is_plain_name(student), kStudentBytes),
                              part_of_name(lesson, is_plain_lesson(lesson), kLessonBytes));
}

}  // namespace lanescope::lesson
