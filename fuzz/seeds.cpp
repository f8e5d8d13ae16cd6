// Writes first inputs of the fuzz targets whose bytes only the program can make:
//   fuzz_seeds FOLDER TRACE...    session files of the traces, an answered lesson
#include <fmt/format.h>

#include <cstdio>
#include <fstream>

#include "io/trace_file.h"
#include "lesson/student_file.h"

using namespace lanescope;

namespace {

void write(const std::filesystem::path& path, std::string_view bytes) {
  std::filesystem::create_directories(path.parent_path());
  std::ofstream out(path, std::ios::binary);
  out << bytes;
  if (!out.flush()) throw base::FileError(fmt::format("{}: cannot write", path.string()));
}

void write_sessions(const std::filesystem::path& folder, const std::vector<std::string>& traces) {
  for (const char* target : {"session", "session_follow"}) {
    std::filesystem::create_directories(folder / target);
    for (std::size_t i = 0; i < traces.size(); ++i) {
      const io::OpenedTrace opened = io::read_file(traces[i]);
      io::write_session(folder / target / fmt::format("trace-{}.lanescope", i), *opened.trace, opened.facts);
    }
  }
}

void write_student(const std::filesystem::path& folder) {
  const lesson::Lesson& lesson = lesson::lessons().front();
  lesson::StudentFile file = lesson::new_student_file("Ann Lee", lesson);
  write(folder / "empty.json", lesson::to_json(file));
  for (const lesson::Step& step : lesson.steps) {
    lesson::StepRecord record;
    record.step = step.name;
    record.begun = "2026-03-02T09:30:00Z";
    file.steps.push_back(std::move(record));
  }
  write(folder / "begun.json", lesson::to_json(file));
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    std::fputs("fuzz_seeds: needs a folder; allowed: fuzz_seeds FOLDER TRACE...\n", stderr);
    return 2;
  }
  try {
    const std::filesystem::path folder = argv[1];
    write_sessions(folder, {argv + 2, argv + argc});
    write_student(folder / "student");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "fuzz_seeds: %s\n", error.what());
    return 1;
  }
  return 0;
}
