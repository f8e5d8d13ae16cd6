// Source files of a watched program: the text of a line, and the loops around it.
#include "attach/vocabulary.h"

#include "foreign.h"

using namespace lanescope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static fuzz::InputFile file(".py");
  const std::filesystem::path& path = file.write(fuzz::text_of(data, size));
  attach::SourceLines source(path.parent_path());
  const std::string name = path.filename();
  for (std::uint32_t line = 0; line < 24; ++line) {
    fuzz::check_text(source.line(name, line));
    for (const std::uint32_t loop : source.loops_around(name, line))
      fuzz::expect(loop <= line, "a loop below its line");
  }
  return 0;
}
