#include "lesson/lesson.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/translate.h"
#include "lanescope_lessons.h"

namespace lanescope::lesson {
namespace {

struct Embedded {
  std::vector<Lesson> lessons;
  std::vector<std::string> errors;

  Embedded() {
    for (const lanescope::lessons::File& file : lanescope::lessons::files()) {
      try {
        lessons.push_back(parse_lesson(file.text, fmt::format("lessons/{}", file.path)));
      } catch (const base::Error& error) {
        errors.emplace_back(error.what());
      }
    }
    std::ranges::stable_sort(lessons, {}, &Lesson::order);
  }
};

const Embedded& embedded() {
  static const Embedded all;
  return all;
}

}  // namespace

double Lesson::minutes() const {
  return std::transform_reduce(steps.begin(), steps.end(), 0.0, std::plus(), [](const Step& s) { return s.minutes; });
}

std::span<const Lesson> lessons() { return embedded().lessons; }

const std::vector<std::string>& lesson_errors() { return embedded().errors; }

const Lesson& lesson_named(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Lesson& lesson : lessons()) {
    if (lesson.name == name) return lesson;
    names.emplace_back(lesson.name);
  }
  throw base::UsageError(base::tr("lesson '{}' is unknown; allowed: {}", name, fmt::join(names, ", ")));
}

}  // namespace lanescope::lesson
