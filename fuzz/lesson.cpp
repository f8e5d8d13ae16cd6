// Lessons of the user's own (TOML).
#include "lesson/lesson.h"

#include "foreign.h"
#include "lesson/student_file.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepted([&] {
    const lesson::Lesson read = lesson::parse_lesson(fuzz::text_of(data, size), "input.toml");
    static_cast<void>(lesson::lesson_digest(read));
    for (const lesson::Step& step : read.steps) fuzz::accepted([&] { lesson::experiment_of(step); });
  });
  return 0;
}
