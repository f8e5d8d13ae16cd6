#include "base/offered_files.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <system_error>
#include <vector>

#include "base/platform/files.h"

namespace lanescope::base {

namespace fs = std::filesystem;

std::string new_name(const OfferedFiles& kind) {
  return fmt::format("{}{:%Y%m%d-%H%M%S}-{}{}", kind.begin, fmt::gmtime(std::time(nullptr)), process_number(),
                     kind.new_end);
}

std::optional<fs::path> take_newest(const fs::path& folder, const OfferedFiles& kind) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    const std::string name = it->path().filename().string();
    if (name.starts_with(kind.begin) && name.ends_with(kind.end)) files.push_back(it->path());
  }
  // Their names begin with the time.
  std::ranges::sort(files, std::ranges::greater{});
  std::optional<fs::path> newest;
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (i >= kind.kept) {
      fs::remove(files[i], error);
      continue;
    }
    std::string name = files[i].string();
    if (!name.ends_with(kind.new_end)) continue;
    name.replace(name.size() - kind.new_end.size(), kind.new_end.size(), kind.end);
    fs::rename(files[i], name, error);
    if (!newest) newest = error ? files[i] : fs::path(name);
  }
  return newest;
}

}  // namespace lanescope::base
