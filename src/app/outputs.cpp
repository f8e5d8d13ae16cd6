#include "app/outputs.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <string>
#include <system_error>

#include "base/error.h"
#include "base/translate.h"
#include "io/atomic_file.h"

namespace lanescope::app {

namespace fs = std::filesystem;

void check_outputs(const std::vector<OutputPath>& paths) {
  std::set<fs::path> seen;
  for (const OutputPath& output : paths) {
    const fs::path& path = output.path;
    if (path.empty() || path == "-") continue;
    std::error_code unknown;
    const fs::file_status status = fs::status(path, unknown);
    if (fs::exists(status) && !fs::is_regular_file(status) && !fs::is_directory(status))
      continue;  // a device or a pipe
    if (!seen.insert(fs::absolute(path, unknown).lexically_normal()).second) {
      throw base::UsageError(base::tr("{} is named for two outputs; give each its own file", path.string()));
    }
    const io::AtomicFile writable(path);
  }
}

void check_not_input(const std::vector<OutputPath>& paths, const std::vector<fs::path>& inputs) {
  for (const OutputPath& output : paths) {
    const fs::path& path = output.path;
    const bool read = std::ranges::any_of(inputs, [&](const fs::path& input) {
      std::error_code unknown;
      return !path.empty() && fs::equivalent(path, input, unknown);
    });
    if (read) {
      throw base::UsageError(base::tr("{} is the trace that is read; give the output another name", path.string()));
    }
  }
}

fs::path comparison_path(const fs::path& path) {
  if (path.empty()) return path;
  fs::path extension = path.extension();
  fs::path stem = path.stem();
  if (extension == ".gz" && stem.has_extension()) {
    fs::path both = stem.extension();
    both += extension;
    extension = both;
    stem = stem.stem();
  }
  stem += "-compare";
  return path.parent_path() / (stem += extension);
}

}  // namespace lanescope::app
