// The files with students' answers (JSON). One is the same when written and read again.
#include "foreign.h"
#include "lesson/student_file.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  fuzz::accepted([&] {
    const lesson::StudentFile read = lesson::parse_student_file(fuzz::text_of(data, size), "input.answers.json");
    const std::string text = lesson::to_json(read);
    fuzz::expect(lesson::parse_student_file(text, "written") == read, "answers that change when written", text);
  });
  return 0;
}
