#include "shell/marks_file.h"

#include <fmt/format.h>

#include <system_error>

#include "base/error.h"
#include "base/platform/files.h"
#include "base/translate.h"
#include "io/atomic_file.h"
#include "model/timeline/marks_json.h"
#include "shell/shell_state.h"

namespace lanescope::ui {
namespace {

constexpr std::uint64_t kMostBytes = 4'000'000;

}  // namespace

std::filesystem::path marks_path(const std::filesystem::path& trace) {
  std::filesystem::path path = trace;
  return path += ".marks.json";
}

std::optional<Marks> read_marks(const std::filesystem::path& trace) {
  const std::filesystem::path path = marks_path(trace);
  std::error_code unknown;
  if (!std::filesystem::is_regular_file(path, unknown)) return std::nullopt;
  const base::PlainFile file(path, base::PlainFile::For::Reading);
  if (!file) return std::nullopt;
  const std::uint64_t bytes = file.size().value_or(0);
  if (bytes > kMostBytes) {
    throw base::FileError(base::tr("{}: is too large; allowed: at most {} bytes", path.string(), kMostBytes));
  }
  std::string text(bytes, '\0');
  text.resize(file.read(text.data(), text.size(), 0).value_or(0));
  try {
    return marks_from_json(text);
  } catch (const base::UsageError& error) {
    throw base::UsageError(path.string() + ": " + error.what());
  }
}

void write_marks(const std::filesystem::path& trace, const Marks& marks) {
  const std::filesystem::path path = marks_path(trace);
  if (marks.count() == 0) {
    std::error_code ignored;
    std::filesystem::remove(path, ignored);
    return;
  }
  io::write_text_file(path, marks_to_json(marks) + "\n");
}

void follow_marks(ShellState& state) {
  const std::optional<std::filesystem::path> file = state.model.source().file();
  try {
    if (state.marks.generation != state.model.generation()) {
      state.marks = {};
      state.marks.generation = state.model.generation();
      state.marks_written = 0;
      if (state.model.live()) return;
      auto beside = file ? read_marks(*file) : std::nullopt;
      state.marks = beside ? std::move(*beside) : marks_from_json(state.model.facts().marks);
      state.marks.generation = state.model.generation();
      state.marks_written = state.marks.version();
      return;
    }
    if (state.marks.version() == state.marks_written) return;
    state.marks_written = state.marks.version();
    if (file) write_marks(*file, state.marks);
  } catch (const base::Error& error) {
    state.show_toast(error.what(), true);
  }
}

}  // namespace lanescope::ui
