#include "base/user_folders.h"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <algorithm>
#include <ctime>
#include <functional>
#include <system_error>
#include <vector>

#include "base/platform/files.h"
#include "base/platform/paths.h"

namespace lanescope::base {

std::filesystem::path home_folder() {
  const std::string folder = environment("HOME");
  return folder.empty() ? "/" : folder;
}

namespace {

std::filesystem::path folder_in(const char* variable, const char* below_home) {
  const std::string configured = environment(variable);
  // The XDG specification says to ignore relative paths.
  const bool usable = configured.starts_with('/');
  return (usable ? std::filesystem::path(configured) : home_folder() / below_home) / "lanescope";
}

}  // namespace

std::filesystem::path settings_folder() { return folder_in("XDG_CONFIG_HOME", ".config"); }
std::filesystem::path state_folder() { return folder_in("XDG_STATE_HOME", ".local/state"); }

// --- offered files ---------------------------------------------------------------------------------------------------

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
